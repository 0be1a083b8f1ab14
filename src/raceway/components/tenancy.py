"""Namespaces and priority classes as one component; the rules are ``raceway.cluster.tenancy``.

It deliberately decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from raceway.cluster.problems import refuse
from raceway.cluster.tenancy import Namespace, PriorityClass, check_namespaces, check_priorities
from raceway.components.objects import KubernetesObject


@dataclass(frozen=True)
class TenancyArgs:
    """The teams' namespaces and the priorities of their work."""

    namespaces: tuple[Namespace, ...] = ()
    priorities: tuple[PriorityClass, ...] = ()

    def __post_init__(self) -> None:
        refuse(check_namespaces(self.namespaces) + check_priorities(self.priorities), "tenancy")


def names(args: TenancyArgs) -> dict[str, list[str]]:
    """Return the names of the objects by noun."""
    return {
        "namespaces": [one.name for one in args.namespaces],
        "priorities": [one.name for one in args.priorities],
    }


def manifests(args: TenancyArgs) -> list[dict[str, Any]]:
    """Return the objects."""
    return [one.manifest() for one in args.namespaces] + [one.manifest() for one in args.priorities]


class Tenancy(pulumi.ComponentResource):
    """Registers namespaces and priority classes."""

    namespaces: pulumi.Output[list[str]]
    priorities: pulumi.Output[list[str]]

    def __init__(self, name: str, args: TenancyArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:cluster:Tenancy", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made: Mapping[str, Any] = names(args)
        for manifest in manifests(args):
            KubernetesObject(manifest["metadata"]["name"], manifest, child)
        self.namespaces = pulumi.Output.from_input(made["namespaces"])
        self.priorities = pulumi.Output.from_input(made["priorities"])
        self.register_outputs({"namespaces": self.namespaces, "priorities": self.priorities})

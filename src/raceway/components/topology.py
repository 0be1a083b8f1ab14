"""HyperNodes of the fabric as one component. It deliberately decides nothing: see ``raceway.cluster.hypernodes``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulumi

from raceway.cluster.hypernodes import HyperNode, check_hypernodes
from raceway.cluster.problems import refuse
from raceway.components.objects import KubernetesObject


@dataclass(frozen=True)
class TopologyArgs:
    """The groups, and the nodes that exist for them to name."""

    hypernodes: tuple[HyperNode, ...]
    nodes: tuple[str, ...]

    def __post_init__(self) -> None:
        refuse(check_hypernodes(self.hypernodes, self.nodes), "topology")


def names(args: TopologyArgs) -> list[str]:
    """Return the HyperNodes' names, lowest tier first."""
    return [manifest["metadata"]["name"] for manifest in manifests(args)]


def manifests(args: TopologyArgs) -> list[dict[str, Any]]:
    """Return the HyperNode objects, lowest tier first."""
    return [hypernode.manifest() for hypernode in sorted(args.hypernodes, key=lambda one: one.tier)]


class Topology(pulumi.ComponentResource):
    """Registers the HyperNodes."""

    hypernodes: pulumi.Output[list[str]]

    def __init__(self, name: str, args: TopologyArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:cluster:Topology", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        for manifest in manifests(args):
            KubernetesObject(manifest["metadata"]["name"], manifest, child)
        self.hypernodes = pulumi.Output.from_input(names(args))
        self.register_outputs({"hypernodes": self.hypernodes})

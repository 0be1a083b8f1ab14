"""The queue tree as one component: a child is made after its parent and removed before it.

It deliberately registers only checked trees; the checks are ``raceway.cluster.queues``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pulumi

from raceway.cluster.problems import refuse
from raceway.cluster.queues import Queue, check_queues, ordered
from raceway.components.objects import KubernetesObject


@dataclass(frozen=True)
class QueuesArgs:
    """The queues, the extended resources the machines offer, and what the machines have in all."""

    queues: tuple[Queue, ...]
    offered: tuple[str, ...] = ()
    total: Mapping[str, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse(check_queues(self.queues, self.offered, self.total), "queues")


def names(args: QueuesArgs) -> list[str]:
    """Return the queues' names, parents first."""
    return [queue.name for queue in ordered(args.queues)]


def manifests(args: QueuesArgs) -> list[dict[str, Any]]:
    """Return the Queue objects, parents first.

    A queue with children carries ``waitFor``: the webhook judges a child by its own copy of the queues, which may lag
    behind the API; a parent whose state is Open has passed through the controllers, so the copy knows it.
    """
    parents = {queue.parent for queue in args.queues}
    made = [queue.manifest() for queue in ordered(args.queues)]
    for manifest in made:
        if manifest["metadata"]["name"] in parents:
            manifest["metadata"]["annotations"] = {"pulumi.com/waitFor": "jsonpath={.status.state}=Open"}
    return made


class Queues(pulumi.ComponentResource):
    """Registers the queues."""

    queues: pulumi.Output[list[str]]

    def __init__(self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:cluster:Queues", name, {}, opts)
        made: dict[str, KubernetesObject] = {}
        for manifest in manifests(args):
            above = made.get(manifest["spec"]["parent"])
            child = pulumi.ResourceOptions(parent=self, depends_on=[above] if above else [])
            made[manifest["metadata"]["name"]] = KubernetesObject(manifest["metadata"]["name"], manifest, child)
        self.queues = pulumi.Output.from_input(names(args))
        self.register_outputs({"queues": self.queues})

"""Node labels (and, where declared, taints) as patches: the kubelet owns the Node, we own our fields of it.

Every label key has its own owner to the API server, so destroy takes back our keys and no other. Taints are one atomic
list: they are off by default (``nodeTaints``), because the node lifecycle controller writes the same list. It
deliberately never creates or deletes a Node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulumi

from raceway.cluster.nodes import check_machines, label_patch, taint_patch
from raceway.cluster.problems import refuse
from raceway.components.objects import KubernetesPatch
from raceway.model.machine import Machine


@dataclass(frozen=True)
class NodesArgs:
    """The machines whose nodes get labels, and taints when ``taints`` is set."""

    machines: tuple[Machine, ...]
    labels: bool = True
    taints: bool = False

    def __post_init__(self) -> None:
        refuse(check_machines(self.machines), "nodes")


def names(args: NodesArgs) -> list[str]:
    """Return the nodes' names."""
    return [machine.name for machine in args.machines]


def manifests(args: NodesArgs) -> list[dict[str, Any]]:
    """Return the label patches, then the taint patches."""
    labels = [label_patch(machine) for machine in args.machines] if args.labels else []
    taints = [patch for machine in args.machines if (patch := taint_patch(machine))] if args.taints else []
    return labels + taints


class Nodes(pulumi.ComponentResource):
    """Registers the patches."""

    nodes: pulumi.Output[list[str]]

    def __init__(self, name: str, args: NodesArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:cluster:Nodes", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        for manifest in manifests(args):
            what = "taints" if "spec" in manifest else "labels"
            KubernetesPatch(f"{manifest['metadata']['name']}-{what}", manifest, f"raceway-{what}", child)
        self.nodes = pulumi.Output.from_input(names(args))
        self.register_outputs({"nodes": self.nodes})

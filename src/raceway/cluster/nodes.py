"""The labels, taints and capacities a machine's declaration gives its Node object.

It deliberately does not look at a node: what is labelled is what the inventory says, so topology and placement cannot
disagree with the hosts that Ansible made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from raceway.cluster.names import check_labels, check_name, is_label_value, is_qualified
from raceway.cluster.problems import Problem
from raceway.cluster.quantity import add
from raceway.model.machine import Machine

LABEL_DOMAIN = "raceway.dev"
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_GIB = Fraction(1024) ** 3


@dataclass(frozen=True)
class Taint:
    """One taint, as in ``key=value:Effect``."""

    key: str
    value: str
    effect: str

    def manifest(self) -> dict[str, str]:
        """Return the entry of ``spec.taints``."""
        row = {"key": self.key, "effect": self.effect}
        return {**row, "value": self.value} if self.value else row


def parse_taint(place: str, text: str) -> tuple[Taint | None, list[Problem]]:
    """Return the taint written as ``key[=value]:Effect``, or what is wrong with it."""
    left, colon, effect = text.rpartition(":")
    key, _, value = left.partition("=")
    if not colon or effect not in EFFECTS:
        return None, [Problem(place, repr(text), f"key=value:Effect with {', '.join(EFFECTS)}", "correct the effect")]
    if not is_qualified(key) or not is_label_value(value):
        return None, [Problem(place, repr(text), "key=value of label form", "respell the taint")]
    return Taint(key, value, effect), []


def node_labels(machine: Machine) -> dict[str, str]:
    """Return our labels of one node: place in the fabric and kind of accelerator, then the machine's own."""
    derived = {
        "rack": machine.rack,
        "leaf": machine.leaf,
        "spine": machine.spine,
        "accelerator-kind": "" if machine.accelerator_kind == "none" else machine.accelerator_kind,
        "accelerator-model": machine.accelerator_model,
        "platform": machine.platform,
    }
    labels = {f"{LABEL_DOMAIN}/{key}": value.replace(" ", "-") for key, value in derived.items() if value}
    return {**labels, **dict(machine.labels)}


def node_taints(machine: Machine) -> tuple[Taint, ...]:
    """Return the declared taints (those that parse; ``check_machines`` tells of the others)."""
    parsed = (parse_taint(machine.name, text)[0] for text in machine.taints)
    return tuple(taint for taint in parsed if taint is not None)


def check_machines(machines: Sequence[Machine]) -> list[Problem]:
    """Return what would keep these machines from becoming labelled nodes."""
    found: list[Problem] = []
    seen: set[str] = set()
    for machine in machines:
        place = f"host {machine.name}"
        found += check_name(place, machine.name)
        if machine.name in seen:
            found.append(Problem(place, "declared twice", "each host once", "rename or remove one"))
        seen.add(machine.name)
        own = {key: str(value) for key, value in machine.labels.items()}
        found += check_labels(f"{place} node_labels", own)
        derived = {key: value for key, value in node_labels(machine).items() if key not in own}
        found += list(check_labels(f"{place} derived label", derived))
        for text in machine.taints:
            found += parse_taint(f"{place} node_taints", text)[1]
    return found


def offered_resources(machines: Iterable[Machine]) -> set[str]:
    """Return the extended resources that at least one machine offers."""
    offered: set[str] = set()
    for machine in machines:
        if machine.accelerator_count and machine.accelerator_resource:
            offered.add(machine.accelerator_resource)
        if machine.rdma_ports:
            offered.add(machine.rdma_resource)
    return offered


def machine_amounts(machine: Machine) -> dict[str, Fraction]:
    """Return what one machine declares to have; an undeclared size (0) is left out, because unknown is not zero."""
    declared = {
        "cpu": Fraction(machine.cpus),
        "memory": machine.memory_gib * _GIB,
        machine.accelerator_resource: Fraction(machine.accelerator_count),
    }
    return {name: number for name, number in declared.items() if name and number}


def cluster_amounts(machines: Sequence[Machine]) -> dict[str, Fraction]:
    """Return the declared total per resource; a resource that some machine leaves undeclared is left out.

    The check of accelerators stays exact, since a machine without them declares that (kind none).
    """
    total = add(*(machine_amounts(machine) for machine in machines))
    for name, size in (("cpu", "cpus"), ("memory", "memory_gib")):
        if any(not getattr(machine, size) for machine in machines):
            total.pop(name, None)
    return total


def label_patch(machine: Machine) -> dict[str, Any]:
    """Return the server-side-apply patch that holds only our labels of this node."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": machine.name, "labels": dict(sorted(node_labels(machine).items()))},
    }


def taint_patch(machine: Machine) -> dict[str, Any] | None:
    """Return the patch that holds the declared taints, or None.

    ``spec.taints`` is one atomic list to the API server, so whoever applies it owns all of it. That is why taints are
    a patch of their own: a struggle about them never takes a label away.
    """
    taints = [taint.manifest() for taint in node_taints(machine)]
    if not taints:
        return None
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": machine.name}, "spec": {"taints": taints}}

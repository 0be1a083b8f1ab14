"""Namespaces and priority classes: who works where, and whose work goes first.

It deliberately does not touch the system's own (``kube-*``, ``default``, ``system-*``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raceway.cluster.names import check_labels, check_name
from raceway.cluster.problems import Problem

PRIORITY_MAX = 1_000_000_000  # above this the API keeps values for system-* classes
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
POD_SECURITY_LEVELS = ("privileged", "baseline", "restricted")
_OWN_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True)
class Namespace:
    """One namespace of a team; ``pod_security`` is the level that Pod Security admission enforces in it."""

    name: str
    pod_security: str = "baseline"
    labels: Mapping[str, str] = field(default_factory=dict)

    def manifest(self) -> dict[str, Any]:
        """Return the API object."""
        labels = {"pod-security.kubernetes.io/enforce": self.pod_security, **self.labels}
        metadata = {"name": self.name, "labels": dict(sorted(labels.items()))}
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


@dataclass(frozen=True)
class PriorityClass:
    """One priority; a higher value goes first."""

    name: str
    value: int
    preemption: str = "PreemptLowerPriority"
    description: str = ""

    def manifest(self) -> dict[str, Any]:
        """Return the API object (never the global default: a job says its priority)."""
        return {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": self.name},
            "value": self.value,
            "globalDefault": False,
            "preemptionPolicy": self.preemption,
            "description": self.description,
        }


def check_namespaces(namespaces: Sequence[Namespace]) -> list[Problem]:
    """Return what the API would refuse, and names that are not ours to declare."""
    found: list[Problem] = []
    for index, namespace in enumerate(namespaces):
        place = f"namespace {namespace.name}"
        found += check_name(place, namespace.name, "label") + check_labels(f"{place} labels", namespace.labels)
        if namespace.name in _OWN_NAMESPACES or namespace.name.startswith("kube-"):
            found.append(Problem(place, "Kubernetes' own namespace", "any other name", "leave it out"))
        if namespace.name in {other.name for other in namespaces[:index]}:
            found.append(Problem(place, "declared twice", "each once", "remove one of the two"))
        if namespace.pod_security not in POD_SECURITY_LEVELS:
            allowed = ", ".join(POD_SECURITY_LEVELS)
            found.append(Problem(f"{place} pod_security", repr(namespace.pod_security), allowed, "choose a level"))
    return found


def check_priorities(priorities: Sequence[PriorityClass]) -> list[Problem]:
    """Return what the API would refuse, and two classes of one value (their order would be chance)."""
    found: list[Problem] = []
    by_value: dict[int, str] = {}
    for priority in priorities:
        place = f"priority {priority.name}"
        found += check_name(place, priority.name)
        if priority.name.startswith("system-"):
            found.append(Problem(place, "the prefix system- belongs to Kubernetes", "any other name", "rename it"))
        if not -PRIORITY_MAX <= priority.value <= PRIORITY_MAX:
            allowed = f"{-PRIORITY_MAX} to {PRIORITY_MAX}"
            found.append(Problem(f"{place} value", str(priority.value), allowed, "choose a smaller value"))
        if priority.preemption not in PREEMPTION_POLICIES:
            allowed = " or ".join(PREEMPTION_POLICIES)
            found.append(Problem(f"{place} preemption", repr(priority.preemption), allowed, "choose a policy"))
        if priority.value in by_value:
            text = f"{priority.value}, as {by_value[priority.value]} has"
            found.append(Problem(f"{place} value", text, "a value of its own", "choose another value"))
        by_value[priority.value] = priority.name
    return found

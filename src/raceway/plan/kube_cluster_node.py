"""Labels and taints of the node's own Node object, as the inventory declares them.

Only keys that are declared, or that raceway set earlier, are touched. It deliberately leaves alone what Kubernetes sets
itself (node.kubernetes.io/…): those taints say how the node is, not what it is for.
"""

from __future__ import annotations

from typing import List, Union

from ..facts.kube_cluster import KubeClusterFacts
from ..model.kube_cluster import WORKER, KubeClusterDesired
from ..model.plan import DISRUPTIVE, SAFE, Noop, Step

Outcome = Union[Step, Noop]
LABELS, TAINTS = "labels", "taints"
EVICTS = ":NoExecute"
SYSTEM = "node.kubernetes.io/"


def plan_node(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return the steps that label and taint, or why there is none."""
    if facts.joined and facts.node is None:
        return []  # the API server does not answer, which is told
    return [*_labels(desired, facts), *_taints(desired, facts)]


def by_other_means(desired: KubeClusterDesired) -> bool:
    """Tell whether labelling needs credentials that come along: a worker has none that may."""
    return desired.role == WORKER


def _labels(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    now = facts.node.labels if facts.node else {}
    wrong = {key: value for key, value in desired.labels.items() if now.get(key) != value}
    gone = [key for key in facts.own_labels if key not in desired.labels and key in now]
    if not (wrong or gone):
        unowned = any(key not in facts.own_labels for key in desired.labels)
        return [Noop(LABELS, "are as declared")] if desired.labels and not unowned else _adopt(LABELS, desired, facts)
    before = "\n".join(f"{key}={now[key]}" for key in sorted([*wrong, *gone]) if key in now)
    after = "\n".join(f"{key}={value}" for key, value in sorted(wrong.items()))
    args = {"node": desired.name, "set": wrong, "remove": gone, "own": sorted(desired.labels)}
    why, undo = "pods are placed by what the inventory says of the node", "kubectl label node: the values before"
    told = ", ".join([*sorted(wrong), *(f"no {key}" for key in gone)])
    return [Step("kube_labels", LABELS, f"label the node: {told}", why, SAFE, undo, before, after, args)]


def _taints(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    now = facts.node.taints if facts.node else ()
    # A node that is about to join registers with its taints: there is nothing to do beside remembering them.
    missing = [one for one in desired.taints if facts.joined and one not in now]
    gone = [one for one in facts.own_taints if one not in desired.taints and one in now]
    if not (missing or gone):
        unowned = any(one not in facts.own_taints for one in desired.taints)
        return [Noop(TAINTS, "are as declared")] if desired.taints and not unowned else _adopt(TAINTS, desired, facts)
    kept = [one for one in now if one not in gone and _key(one) not in [_key(other) for other in missing]]
    after = [*kept, *missing]
    args = {"node": desired.name, "taints": after, "own": sorted(desired.taints)}
    evicts = [one for one in missing if one.endswith(EVICTS)]
    why = f"{', '.join(evicts)} evicts pods that do not tolerate it" if evicts else "only pods meant for it get here"
    risk = DISRUPTIVE if evicts else SAFE
    undo, what = "kubectl taint node: the taints before", "taint the node: " + ", ".join([*missing, *_no(gone)])
    return [Step("kube_taints", TAINTS, what, why, risk, undo, "\n".join(now), "\n".join(after), args)]


def _adopt(kind: str, desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return the note that declared labels or taints are ours, where they are there already."""
    declared = sorted(desired.labels if kind == LABELS else desired.taints)
    own = sorted(facts.own_labels if kind == LABELS else facts.own_taints)
    if declared == own:
        return []
    args = {"own": declared, "kind": kind}
    why, undo = "what is no longer declared later is taken away", "none is needed"
    what = f"remember which {kind} are declared"
    return [Step("kube_own", kind, what, why, SAFE, undo, "\n".join(own), "\n".join(declared), args)]


def _no(taints: List[str]) -> List[str]:
    return [f"no {one}" for one in taints]


def _key(taint: str) -> str:
    """Return what makes a taint one of its kind: key and effect."""
    left, _, effect = taint.rpartition(":")
    return f"{left.partition('=')[0]}:{effect}"

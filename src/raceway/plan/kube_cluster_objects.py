"""What the cluster itself is given once: the rights by which nodes see each other, and a network from manifests.

It deliberately gives kubelets the list of Nodes and nothing more of each other (Kubernetes 1.32 took it from them, and
routes between nodes are made from it); those who converge may label and taint for minutes.
"""

from __future__ import annotations

import hashlib
from typing import Any, Dict, List, Union

from ..facts.kube_cluster import KubeClusterFacts
from ..model.kube_cluster import MANIFESTS, KubeClusterDesired
from ..model.plan import SAFE, Noop, Refusal, Step
from .kube_cluster_yaml import documents

Outcome = Union[Step, Noop, Refusal]
CONVERGE_GROUP = "raceway:converge"
OBJECTS = "rights of nodes"
_RBAC = "rbac.authorization.k8s.io"


def objects() -> str:
    """Return the roles and bindings as one text."""
    see, change = ["get", "list", "watch"], ["get", "list", "patch", "update"]
    return documents(
        [
            *_right("raceway:nodes-see-nodes", see, "system:nodes"),
            *_right("raceway:converge-nodes", change, CONVERGE_GROUP),
        ]
    )


def _right(name: str, verbs: List[str], group: str) -> List[Dict[str, Any]]:
    meta = {"name": name, "labels": {"app.kubernetes.io/managed-by": "raceway"}}
    return [
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRole",
            "metadata": meta,
            "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": verbs}],
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": meta,
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": group}],
        },
    ]


def objects_sum() -> str:
    """Return the sum by which the ledger knows that these very rights were given."""
    return hashlib.sha256(objects().encode()).hexdigest()


def plan_objects(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return what the first node gives the cluster; other nodes give nothing."""
    if not desired.first:
        return []
    rows: List[Outcome] = []
    if facts.applied_sums.get(OBJECTS) != objects_sum():
        why = "nodes make routes from the list of nodes, and workers are labelled by a client that lives for minutes"
        undo = "kubectl delete clusterrolebinding,clusterrole -l app.kubernetes.io/managed-by=raceway"
        args = {"sum": objects_sum()}
        rows.append(Step("kube_objects", OBJECTS, "give nodes their rights", why, SAFE, undo, "", objects(), args))
    return [*rows, *[_manifest(path, facts) for path in desired.cni_manifests if desired.cni == MANIFESTS]]


def _manifest(path: str, facts: KubeClusterFacts) -> Outcome:
    found, now = facts.applied_sums.get(path, ""), facts.sums.get(path, "")
    if not now:
        return Refusal(path, "the network's manifest cannot be read on this node", "put it there, or correct the path")
    if found == now:
        return Noop(path, "was applied as it is now")
    what, undo = f"apply {path}", f"kubectl delete -f {path}"
    why = "the declared network of pods comes from it"
    return Step("kube_manifest", path, what, why, SAFE, undo, found, now, {"path": path, "sum": now})

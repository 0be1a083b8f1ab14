"""Into a cluster, out of it, and to another version: what kubeadm is asked to do, and when it is not asked.

A node that another hand put into a cluster is taken as it is, and never reset. It deliberately never makes a second
cluster where an API server answers at the endpoint: that is how a rebuilt first node would split one.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from ..facts.kube_cluster import KubeClusterFacts
from ..model.kube_cluster import IGNORABLE, WORKER, KubeClusterDesired, minor
from ..model.plan import DESTRUCTIVE, DISRUPTIVE, SAFE, Noop, Refusal, Step
from .kube_cluster_config import init_documents, upgrade_documents

Outcome = Union[Step, Noop, Refusal]
CLUSTER = "cluster"


def refused(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Refusal]:
    """Return why the node cannot be made what is declared; nothing of it is touched then."""
    if facts.joined and not facts.begun:
        return _elsewhere(desired, facts)
    if facts.leftovers and not facts.begun:
        found = (
            f"{', '.join(facts.leftovers)} are of a kubeadm run that is not raceway's, and the node is in no cluster"
        )
        return [Refusal(CLUSTER, found, "look whether anything of it is needed, then run `kubeadm reset` on the node")]
    if desired.first and facts.answering:
        found = f"{desired.endpoint} answers already ({facts.answering}), so a new cluster there would be a second one"
        act = "let this node join: make a node of that cluster kubernetes_first_control_plane; or correct the endpoint"
        return [Refusal(CLUSTER, found, act)]
    return []


def _elsewhere(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Refusal]:
    act = "take the node out (playbooks/kubernetes_remove.yml), then run again; or correct the declaration"
    rows = []
    if facts.server and facts.server != desired.endpoint:
        found = f"the node is in the cluster at {facts.server}, {desired.endpoint} is declared"
        rows.append(Refusal(CLUSTER, found, act))
    if desired.control_plane and not facts.api_server:
        rows.append(Refusal(CLUSTER, "the node is a worker, a control-plane node is declared", act))
    if desired.role == WORKER and facts.api_server:
        rows.append(Refusal(CLUSTER, "the node is a control-plane node, a worker is declared", act))
    return rows


def plan_cluster(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return the steps that make the node part of the cluster, or bring its part to the declared version."""
    rows: List[Outcome] = []
    if facts.begun:
        why = f"an earlier {facts.begun} was interrupted, and half of it cannot be gone on with"
        rows.append(_reset(why, SAFE, "nothing to undo: the node was in no cluster"))
    elif facts.joined:
        return _version(desired, facts)
    if desired.first:
        why = "it is the first control-plane node, and no cluster answers at the endpoint"
        what, undo = f"make the cluster {desired.cluster} (kubeadm init)", "kubernetes_state: absent (kubeadm reset)"
        document = init_documents(desired)
        given = {"config": document, "version": desired.version}
        rows.append(Step("kube_init", CLUSTER, what, why, SAFE, undo, "in no cluster", document, given))
        return rows
    kind = "control-plane node" if desired.control_plane else "worker"
    what, undo = f"join {desired.endpoint} as {kind} (kubeadm join)", "kubernetes_state: absent (kubeadm reset)"
    after = f"{kind} of the cluster at {desired.endpoint}"
    args: Dict[str, Any] = {"desired": desired, "version": desired.version}
    why = "it is declared to be part of the cluster"
    rows.append(Step("kube_join", CLUSTER, what, why, SAFE, undo, "in no cluster", after, args))
    return rows


def ignored(desired: KubeClusterDesired) -> List[Noop]:
    """Tell what is not looked at because a check of kubeadm is left out."""
    return [
        Noop(f"check {name}", f"is left out: kubeadm does not see {IGNORABLE[name]}")
        for name in desired.ignore
        if name in IGNORABLE
    ]


def leave(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return what takes the node out of the cluster that raceway put it in."""
    if facts.begun:
        return [_reset("nothing is declared any more, and an earlier run was interrupted", SAFE, "nothing to undo")]
    if not facts.version:
        found = "the node is in a cluster that raceway did not put it in: it stays" if facts.joined else ""
        return [Noop(CLUSTER, found or "the node is in none")]
    if facts.api_server:
        why = "it is no longer declared; its copy of the cluster's data (etcd) goes with it"
        return [_reset(why, DESTRUCTIVE, "join it again; the cluster's data comes back from other nodes or a snapshot")]
    why = "it is no longer declared; pods that still run on it end"
    return [_reset(why, DISRUPTIVE, "declare it again: it joins anew")]


def _reset(why: str, risk: str, undo: str) -> Step:
    return Step(
        "kube_reset", CLUSTER, "take the node out (kubeadm reset)", why, risk, undo, "part of a cluster", "", {}
    )


def _version(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    found = facts.api_server if desired.control_plane else facts.version
    if not found or found == desired.version:
        return [Noop(CLUSTER, f"the node is part of it{f', with {found}' if found else ''}")]
    problem = skew(found, desired, facts)
    if problem:
        return [problem]
    if not desired.upgrading:
        reason = f"{found} runs, {desired.version} is declared: pods have to leave the node before it is upgraded"
        act = "run playbooks/upgrade.yml --tags kubernetes: one node at a time, drained"
        return [Refusal("version", reason, act)]
    how = "kubeadm upgrade apply" if desired.first else "kubeadm upgrade node"
    why = f"{desired.version} is declared; the node has been drained"
    args = {"config": upgrade_documents(desired), "first": desired.first, "version": desired.version}
    undo = "a cluster is not taken back to a former version: restore etcd from a snapshot"
    what = f"bring the node's part to {desired.version} ({how})"
    return [Step("kube_upgrade", "version", what, why, DISRUPTIVE, undo, found, desired.version, args)]


def skew(found: str, desired: KubeClusterDesired, facts: KubeClusterFacts) -> Optional[Refusal]:
    """Return why a version cannot follow on another (https://kubernetes.io/releases/version-skew-policy/)."""
    now, wanted = minor(found), minor(desired.version)
    if now is None or wanted is None:
        return Refusal("version", f"{found} cannot be compared with {desired.version}", "declare a released version")
    if wanted < now or (wanted == now and _patch(desired.version) < _patch(found)):
        act = f"declare {found} or newer: what a newer version has stored, an older one cannot read"
        return Refusal("version", f"{found} runs, {desired.version} is older", act)
    if (wanted[0], wanted[1]) > (now[0], now[1] + 1):
        act = f"go by {now[0]}.{now[1] + 1} first: kubeadm upgrades one minor version at a time"
        return Refusal("version", f"{found} runs, {desired.version} skips a minor version", act)
    planes = [one for one in facts.others if f"{_ROLE}/control-plane" in one.labels]
    behind = sorted(one.name for one in planes if (minor(one.kubelet) or wanted) < wanted)
    if desired.role == WORKER and behind:
        act = "upgrade the control-plane nodes first: no kubelet may be newer than an API server"
        return Refusal("version", f"{', '.join(behind)} have an older version than {desired.version}", act)
    return None


_ROLE = "node-role.kubernetes.io"


def _patch(version: str) -> int:
    digits = version.split(".")[2].split("-")[0].split("+")[0]
    return int(digits) if digits.isdigit() else 0

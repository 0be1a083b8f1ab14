"""Plans a node's part in a cluster: the address of the API, the cluster itself, the pods' network, labels, copies.

In this order, because each needs the one before it. A node that cannot become what is declared is left alone as a
whole. It deliberately needs no secret: that a node is to join can be told without what lets it in.
"""

from __future__ import annotations

from typing import Dict, List, Tuple, Union

from ..facts.kube_cluster import KubeClusterFacts
from ..facts.kube_service import ServiceFacts
from ..model.kube_cluster import NO_CNI, KubeClusterDesired
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, sort
from . import kube_cluster_etcd as etcd
from . import kube_cluster_network as network
from . import kube_cluster_vip as vip
from .dropin import BOOK
from .kube_cluster_join import ignored, leave, plan_cluster, refused
from .kube_cluster_node import plan_node
from .kube_cluster_objects import plan_objects
from .kube_service import enable, give_back, up

Outcome = Union[Step, Noop, Refusal]
Files = Dict[str, Tuple[str, int]]
PATHS = (
    *(vip.CHECK, vip.CONF, network.SCRIPT, network.FOLDER + network.SERVICE, network.FOLDER + network.TIMER),
    *(etcd.SCRIPT, etcd.FOLDER + etcd.SERVICE, etcd.FOLDER + etcd.TIMER, network.CONFLIST),
)
UNITS = (vip.UNIT, network.TIMER, etcd.TIMER)
WHY = {
    vip.UNIT: "control-plane nodes share the address of the API",
    network.TIMER: "pods of other nodes are reached through routes, which a boot and a new node change",
    etcd.TIMER: "what the cluster holds can be given back after its loss",
}


def plan(desired: KubeClusterDesired, facts: KubeClusterFacts) -> Plan:
    """Return what makes the node the declared part of its cluster, or takes it out of it."""
    if not desired.present:
        return sort(_given_up(desired, facts))
    problems = refused(desired, facts)
    if problems:
        return sort(problems)
    address = _service(vip.UNIT, vip.files(desired), desired, facts)
    rows: List[Outcome] = [
        # The first node needs the address to make the cluster; another one may have it once its API server is there.
        *(address if desired.first else ()),
        *plan_cluster(desired, facts),
        *(() if desired.first else address),
        *ignored(desired),
        *network.plan_network(desired, facts)[:1],
        *plan_objects(desired, facts),
        *_service(network.TIMER, network.files(desired), desired, facts),
        *network.plan_network(desired, facts)[1:],
        *plan_node(desired, facts),
        *_service(etcd.TIMER, etcd.files(desired), desired, facts),
        *_health(desired, facts),
        *_certificates(desired, facts),
    ]
    return sort(rows)


def wanted_files(desired: KubeClusterDesired) -> Files:
    """Return path → text and mode of all files that follow from the declaration alone."""
    return {**vip.files(desired), **network.files(desired), **etcd.files(desired)}


def _service(unit: str, files: Files, desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return what puts a service's files in place and brings it up, or gives all of it back."""
    service = facts.services.get(unit, ServiceFacts())
    own = [path for path in PATHS if _unit_of(path) == unit]
    if not files:
        gone = [path for path in own if path in facts.owned]
        steps = give_back(unit, service, bool(gone), f"{network.FOLDER}{unit}" in gone, SAFE) if gone else []
        early = [step for step in steps if step.type in ("kube_stop", "kube_disable")]
        return [*early, *[_restore(path, facts) for path in gone], *[s for s in steps if s not in early]]
    rows: List[Outcome] = [_file(path, *files[path], facts) for path in files]
    changed = ", ".join(row.target for row in rows if isinstance(row, Step))
    rows.append(enable(unit, service, WHY[unit]))
    rows.append(up(unit, service, f"it reads {changed}" if changed else "", SAFE, desired_platform(desired)))
    return rows


def desired_platform(desired: KubeClusterDesired) -> str:
    """Return the platform's name as services are asked with it."""
    return "container" if desired.container else "bare_metal"


def _unit_of(path: str) -> str:
    if path in (vip.CHECK, vip.CONF):
        return vip.UNIT
    return etcd.TIMER if "etcd" in path else network.TIMER if path != network.CONFLIST else ""


def _file(path: str, text: str, mode: int, facts: KubeClusterFacts) -> Outcome:
    found = facts.files.get(path)
    if found == text:
        return Noop(path, "holds what is declared")
    args = {"path": path, "content": text, "mode": mode, "book": BOOK}
    undo = "what stood there before comes back" if found else "the file goes away"
    return Step("file", path, f"write {path}", WHY[_unit_of(path)], SAFE, undo, found or "", text, args)


def _restore(path: str, facts: KubeClusterFacts) -> Step:
    args, why = {"path": path, "book": BOOK}, "it is no longer declared"
    return Step(
        "file_restore", path, f"give {path} back", why, SAFE, "declare it again", facts.files.get(path, ""), "", args
    )


def _given_up(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    rows: List[Outcome] = [*leave(desired, facts)]
    for unit in (network.TIMER, etcd.TIMER, vip.UNIT):
        rows += _service(unit, {}, desired, facts)
    if network.CONFLIST in facts.owned:
        rows.append(_restore(network.CONFLIST, facts))
    return rows


def _health(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return whether the API server answers and the node is ready; one that is just joining is waited for."""
    if not facts.joined or facts.begun:
        if desired.cni == NO_CNI:
            return []
        why, undo = "a node that joined and takes no pods is no part of the cluster", "nothing to undo"
        args = {"node": desired.name}
        return [Step("kube_ready", "node", "wait until the node is ready", why, SAFE, undo, "", "Ready", args)]
    if facts.node is None:
        act = "look at the control plane: `crictl ps -a` on its nodes, `journalctl -u kubelet`"
        return [Refusal("API server", facts.problem or f"it knows no node {desired.name}", act)]
    if facts.node.ready:
        return [Noop("node", "is ready")]
    if desired.cni == NO_CNI and "cni" in facts.node.why_not.lower():
        return [Noop("node", "is not ready: its network is not raceway's to make, and is not there yet")]
    reason = facts.node.why_not or "its kubelet has not been heard of"
    return [Refusal("node", f"is not ready: {reason}", "journalctl -u kubelet on the node tells more")]


def _certificates(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    rows: List[Outcome] = []
    for one in facts.certificates:
        if one.days >= desired.warn_days:
            rows.append(Noop(one.path, f"runs out in {one.days:.0f} days"))
            continue
        when = f"runs out in {one.days:.0f} days" if one.days > 0 else f"ran out {-one.days:.0f} days ago"
        act = "run `kubeadm certs renew all` on the node, then restart its static pods (or upgrade: that renews too)"
        if one.authority:
            act = "make a new authority: https://kubernetes.io/docs/tasks/tls/manual-rotation-of-ca-certificates/"
        elif "kubelet" in one.path:
            act = "see why the kubelet does not renew it: journalctl -u kubelet, and `kubectl get csr`"
        rows.append(Refusal(one.path, f"{when}, less than {desired.warn_days} days", act))
    return rows

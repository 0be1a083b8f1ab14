"""What is planned for a node's part in a cluster: refusals, versions, health, certificates, what goes."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.facts.kube_cluster import Certificate, KubeClusterFacts, NodeObject, PodRoute
from raceway.facts.kube_service import ServiceFacts
from raceway.facts.unit import UnitState
from raceway.model.kube_cluster import CONTROL_PLANE_TAINT
from raceway.model.plan import DESTRUCTIVE, DISRUPTIVE, Plan
from raceway.plan.kube_cluster import plan, wanted_files
from raceway.plan.kube_cluster_network import CONFLIST, conflist
from raceway.plan.kube_cluster_objects import OBJECTS, objects_sum

from .test_kube_cluster_config import make_desired, worker

UP = ServiceFacts(UnitState(load="loaded", active="active", file_state="enabled"))
TAINT = "gpu=yes:NoSchedule"


def make_node(name: str = "node2", **given: Any) -> NodeObject:
    fine = {
        "taints": (TAINT,),
        "pod_subnet": "10.244.1.0/24",
        "address": "10.0.0.12",
        "kubelet": "1.35.4",
        "ready": True,
    }
    return NodeObject(name, **{**fine, **given})


OTHER = make_node("node1.example", pod_subnet="10.244.0.0/24", address="10.0.0.11", labels={}, taints=())


def joined(desired: Any = None, **given: Any) -> KubeClusterFacts:
    """Return the facts of a worker that is as declared."""
    texts = {path: text for path, (text, _) in wanted_files(desired or worker()).items()}
    fine: dict[str, Any] = {
        "joined": True,
        "server": "10.0.0.10:6443",
        "version": "1.35.4",
        "node": make_node(),
        "others": (OTHER,),
        "routes": (PodRoute("10.244.0.0/24", "10.0.0.11"),),
        "masquerade": True,
        "files": {**texts, CONFLIST: conflist("10.244.1.0/24", 0)},
        "services": dict.fromkeys(
            ("raceway-kube-routes.timer", "raceway-etcd-snapshot.timer", "keepalived.service"), UP
        ),
        "own_taints": (TAINT,),
    }
    return KubeClusterFacts(**{**fine, **given})


def plane(**given: Any) -> KubeClusterFacts:
    """Return the facts of the first node, as declared."""
    node = make_node("node1.example", taints=(CONTROL_PLANE_TAINT,), pod_subnet="10.244.0.0/24")
    other = make_node()
    fine = {
        "node": node,
        "others": (other,),
        "api_server": "1.35.4",
        "routes": (PodRoute("10.244.1.0/24", "10.0.0.12"),),
        "own_taints": (CONTROL_PLANE_TAINT,),
        "applied_sums": {OBJECTS: objects_sum()},
        "files": {
            **{path: text for path, (text, _) in wanted_files(make_desired()).items()},
            CONFLIST: conflist("10.244.0.0/24", 0),
        },
    }
    return joined(make_desired(), **{**fine, **given})


def told(found: Plan) -> str:
    return "; ".join(f"{one.target}: {one.reason}; {one.act}" for one in found.refusals)


def test_nodes_that_are_as_declared_have_nothing_to_do() -> None:
    for found in (plan(worker(), joined()), plan(make_desired(), plane())):
        assert found.empty and all(one.reason for one in found.noops)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (joined(server="10.9.9.9:6443"), "the node is in the cluster at 10.9.9.9:6443, 10.0.0.10:6443 is declared"),
        (joined(api_server="1.35.4"), "the node is a control-plane node, a worker is declared"),
        (KubeClusterFacts(leftovers=("/etc/kubernetes/pki/ca.crt",)), "kubeadm run that is not raceway's"),
        (joined(node=None, others=(), problem="connection refused"), "API server: connection refused"),
        (joined(node=None), "it knows no node node2"),
        (joined(node=make_node(ready=None)), "is not ready: its kubelet has not been heard of"),
        (joined(node=make_node(ready=False, why_not="PLEG is not healthy")), "is not ready: PLEG is not healthy"),
        (
            joined(certificates=(Certificate("/etc/kubernetes/admin.conf", 12.4),)),
            "runs out in 12 days, less than 30 days",
        ),
        (joined(certificates=(Certificate("/x.crt", -3.0),)), "ran out 3 days ago"),
        (joined(certificates=(Certificate("/etc/kubernetes/pki/ca.crt", 5.0, True),)), "make a new authority"),
        (
            joined(certificates=(Certificate("/var/lib/kubelet/pki/kubelet-client-current.pem", 5.0),)),
            "does not renew it",
        ),
    ],
)
def test_a_worker_that_cannot_be_so_is_refused_with_what_to_do(facts: KubeClusterFacts, words: str) -> None:
    found = plan(worker(), facts)
    assert not found.steps and len(found.refusals) == 1 and words in told(found)


def test_no_second_cluster_is_made_where_an_api_server_answers() -> None:
    found = plan(make_desired(), KubeClusterFacts(answering="v1.35.4"))
    assert not found.steps and "a new cluster there would be a second one" in told(found)
    assert any(step.type == "kube_init" for step in plan(make_desired(), KubeClusterFacts()).steps)


def test_a_worker_does_not_become_a_control_plane_node_on_the_fly() -> None:
    assert "a control-plane node is declared" in told(plan(make_desired(), joined()))


@pytest.mark.parametrize(
    ("version", "facts", "words"),
    [
        ("1.34.9", plane(), "1.35.4 runs, 1.34.9 is older"),
        ("1.35.3", plane(), "1.35.4 runs, 1.35.3 is older"),
        ("1.37.0", plane(), "skips a minor version"),
        ("1.35.5", plane(), "playbooks/upgrade.yml --tags kubernetes"),
        ("latest", plane(), "declare a released version"),
    ],
)
def test_a_version_that_cannot_follow_is_refused(version: str, facts: KubeClusterFacts, words: str) -> None:
    found = plan(make_desired(version=version), facts)
    assert words in told(found) and not [step for step in found.steps if step.type == "kube_upgrade"]


def test_a_drained_node_is_upgraded_by_one_minor_version_and_disturbs_by_declaration() -> None:
    for version in ("1.35.9", "1.36.0"):
        found = plan(make_desired(version=version, upgrading=True), plane())
        assert [(step.type, step.risk) for step in found.steps] == [("kube_upgrade", DISRUPTIVE)]
        assert "kubeadm upgrade apply" in found.steps[0].what
    second = plan(make_desired(version="1.36.0", upgrading=True, first=False), plane())
    assert "kubeadm upgrade node" in second.steps[0].what


def test_a_worker_waits_for_the_control_plane_to_be_upgraded() -> None:
    newer = worker(version="1.36.0", upgrading=True)
    old = make_node("node1.example", labels={"node-role.kubernetes.io/control-plane": ""}, kubelet="1.35.4")
    routes = (PodRoute(old.pod_subnet, old.address),)
    assert "upgrade the control-plane nodes first" in told(plan(newer, joined(others=(old,), routes=routes)))
    new = make_node("node1.example", labels=old.labels, kubelet="1.36.0")
    assert [step.type for step in plan(newer, joined(others=(new,), routes=routes)).steps] == ["kube_upgrade"]


def test_stale_and_missing_routes_are_one_step_that_shows_both() -> None:
    (step,) = plan(worker(), joined(routes=(PodRoute("10.244.7.0/24", "10.0.0.17"),))).steps
    assert step.type == "kube_routes" and "10.244.7.0/24 via 10.0.0.17" in step.before
    assert "10.244.0.0/24 via 10.0.0.11" in step.after
    assert [one.type for one in plan(worker(), joined(masquerade=False)).steps] == ["kube_routes"]


def test_a_node_that_just_registers_has_no_route_yet() -> None:
    new = make_node("node3", pod_subnet="", address="10.0.0.13")
    assert plan(worker(), joined(others=(OTHER, new))).empty


def test_other_addresses_of_the_node_rewrite_the_networks_file() -> None:
    (step,) = plan(worker(), joined(node=make_node(pod_subnet="10.244.8.0/24"))).steps
    assert step.type == "kube_cni" and "10.244.8.0/24" in step.after


def test_a_taint_that_evicts_needs_consent_and_another_does_not() -> None:
    found = plan(make_worker_tainted("a:NoExecute"), joined())
    assert [(step.type, step.risk) for step in found.steps] == [("kube_taints", DISRUPTIVE)]
    found = plan(make_worker_tainted("a:NoSchedule"), joined())
    assert [(step.type, step.risk) for step in found.steps] == [("kube_taints", "safe")]


def make_worker_tainted(taint: str) -> Any:
    return make_desired(role="worker", first=False, name="node2", taints=[TAINT, taint])


def test_a_changed_value_of_a_taint_takes_the_place_of_the_former() -> None:
    changed = make_desired(role="worker", first=False, name="node2", taints=["gpu=no:NoSchedule"])
    (step,) = plan(changed, joined()).steps
    assert step.args["taints"] == ["gpu=no:NoSchedule"]


def test_what_kubernetes_taints_itself_stays() -> None:
    node = make_node(taints=("node.kubernetes.io/unschedulable:NoSchedule", TAINT))
    assert plan(worker(), joined(node=node)).empty
    (step,) = plan(make_worker_tainted("a:NoSchedule"), joined(node=node)).steps
    assert "node.kubernetes.io/unschedulable:NoSchedule" in step.args["taints"]


def test_left_out_checks_are_told_with_what_they_hide() -> None:
    found = plan(worker(ignore=["NumCPU"]), joined())
    assert any("whether a control-plane node has two CPUs" in one.reason for one in found.noops)


def test_a_network_that_is_somebody_elses_is_waited_for_by_nobody() -> None:
    desired = worker(cni="none")
    node = make_node(ready=False, why_not="container runtime network not ready: cni plugin not initialized")
    assert plan(desired, joined(desired, node=node)).empty
    assert not any(step.type == "kube_ready" for step in plan(desired, KubeClusterFacts()).steps)


def test_a_manifest_that_is_not_there_is_refused_on_the_first_node() -> None:
    desired = make_desired(cni="manifests", cni_manifests=["/srv/net.yaml"])
    assert "/srv/net.yaml: the network's manifest cannot be read" in told(plan(desired, plane()))


def test_files_that_are_no_longer_declared_go_with_their_services() -> None:
    bare = make_desired(snapshot={})
    facts = plane(owned=tuple(wanted_files(make_desired())))
    kinds = [(step.type, step.target) for step in plan(bare, facts).steps]
    assert ("file_restore", "/etc/raceway/kube/etcd-snapshot") in kinds
    assert kinds[0] == ("kube_stop", "raceway-etcd-snapshot.timer")


def test_taking_a_node_out_is_as_risky_as_what_goes_with_it() -> None:
    gone = make_desired(present=False)
    assert plan(gone, joined()).steps[0].risk == DISRUPTIVE
    assert plan(gone, plane()).steps[0].risk == DESTRUCTIVE
    assert plan(gone, KubeClusterFacts()).empty
    assert not any(step.type == "kube_reset" for step in plan(gone, joined(version="")).steps)

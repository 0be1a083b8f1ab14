"""The variables of a node's part in a cluster as the spec of the noun kube_cluster."""

from __future__ import annotations

from typing import Any

from raceway.model.kube_cluster import CONTROL_PLANE_TAINT, parse
from raceway.roles import kubernetes_cluster

from .test_kubernetes_cluster_rules import VIRTUAL, make_values

NODE = {
    "node_platform": "container",
    "node_rack": "r1",
    "node_leaf": "",
    "node_spine": "",
    "node_labels": {"a": 1},
    "node_accelerator_kind": "nvidia",
    "node_accelerator_model": "H100 SXM",
    "node_taints": ["gpu=yes:NoSchedule"],
}


def made(**given: Any) -> Any:
    return parse(kubernetes_cluster.desired({**make_values(**given), **NODE}, "container"))


def test_labels_and_taints_are_the_inventorys_and_the_roles_together() -> None:
    found = made(labels={"b": "2", "raceway.dev/rack": "other"}, taints=["x:NoExecute", "gpu=yes:NoSchedule"])
    assert found.labels == {
        "raceway.dev/rack": "other",
        "raceway.dev/accelerator-kind": "nvidia",
        "raceway.dev/accelerator-model": "H100-SXM",
        "raceway.dev/platform": "container",
        "a": "1",
        "b": "2",
    }
    assert found.taints == (CONTROL_PLANE_TAINT, "gpu=yes:NoSchedule", "x:NoExecute")


def test_a_control_plane_node_may_be_declared_to_take_jobs() -> None:
    assert CONTROL_PLANE_TAINT not in made(control_plane_taint=False).taints
    assert CONTROL_PLANE_TAINT not in made(node_role="worker", first_control_plane="other").taints


def test_the_named_node_is_the_first_and_others_are_not() -> None:
    assert made().first and not made(first_control_plane="node2").first


def test_archives_mean_that_kubeadm_pulls_nothing() -> None:
    assert made(images_source="archives", image_archives=["/a.tar"]).never_pull and not made().never_pull


def test_the_virtual_address_brings_its_packages_to_control_plane_nodes_alone() -> None:
    values = make_values(virtual_ip=VIRTUAL)
    assert [row["name"] for row in kubernetes_cluster.packages(values)] == ["curl", "keepalived"]
    assert kubernetes_cluster.packages({**values, "kubernetes_node_role": "worker"}) == []
    assert made(virtual_ip=VIRTUAL).virtual.router == 51 and made().virtual.address == ""


def test_copies_of_etcd_have_the_declared_folder_number_and_time() -> None:
    found = made(etcd_snapshot={"folder": "/b"}).snapshot
    assert (found.folder, found.keep, found.calendar) == ("/b", 7, "daily") and made().snapshot.folder == ""


def test_an_absent_role_declares_no_part() -> None:
    assert not made(state="absent").present and made().present

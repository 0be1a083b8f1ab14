"""The role is told who forms the cluster, what it is made from, and what a node inside a container cannot have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.lab.kube import inventory
from raceway.lab.kube.given import Given
from raceway.lab.kube.needs import Host

from ..builders import make_node, make_record

FOLDER = Path("/state/labs/lab")
GIVEN = Given(
    {"kubeadm": "aa", "kubectl": "bb", "kubelet": "cc"},
    {name: f"{name}-1.tar" for name in ("control-plane", "node", "volcano", "torch")},
)
V1, V2 = Host(1, False, 2, 23), Host(2, True, 8, 64)


def hosts(count: int = 3, control_planes: int = 1, host: Host = V1) -> dict[str, dict[str, Any]]:
    nodes = tuple(make_node(number) for number in range(1, count + 1))
    known = make_record(nodes=nodes, ports={}, control_planes=control_planes)
    made = inventory.generated(known, FOLDER, GIVEN, host)
    found: dict[str, dict[str, Any]] = made["_meta"]["hostvars"]
    return found


def archives(host: dict[str, Any]) -> list[str]:
    return [path.rpartition("/")[2] for path in host["kubernetes_image_archives"]]


def test_the_first_nodes_are_the_control_plane_and_all_are_of_one_cluster() -> None:
    made = hosts(4, 3)
    assert [one["kubernetes_node_role"] for one in made.values()] == ["control_plane"] * 3 + ["worker"]
    assert {one["kubernetes_cluster_name"] for one in made.values()} == {"lab"}
    assert "kubernetes" in made["lab-1"]["raceway_roles"]


def test_one_control_plane_node_answers_at_its_own_address_and_several_at_one_they_share() -> None:
    one = hosts(3, 1)["lab-2"]
    assert (one["kubernetes_endpoint"], one["kubernetes_virtual_ip"]) == ("10.213.0.11:6443", {})
    shared = hosts(3, 3)["lab-2"]
    assert shared["kubernetes_endpoint"] == "10.213.0.10:6443"
    assert shared["kubernetes_virtual_ip"] == {"address": "10.213.0.10", "interface": "eth0", "prefix": 24}


def test_a_node_is_given_the_images_of_its_place_and_a_lone_one_all_of_them() -> None:
    made = hosts(2, 1)
    assert archives(made["lab-1"]) == ["control-plane-1.tar", "node-1.tar"]
    assert archives(made["lab-2"]) == ["node-1.tar", "volcano-1.tar", "torch-1.tar"]
    assert archives(hosts(1, 1)["lab-1"]) == ["control-plane-1.tar", "node-1.tar", "volcano-1.tar", "torch-1.tar"]


def test_what_a_container_on_this_host_cannot_have_is_said_and_no_more() -> None:
    old, new = hosts(host=V1)["lab-1"], hosts(host=V2)["lab-1"]
    assert (old["kubernetes_cgroup_driver"], old["kubernetes_cgroup_v1"]) == ("cgroupfs", "accept")
    assert old["kubernetes_containerd_restrict_oom_score_adj"] is True
    assert (new["kubernetes_cgroup_driver"], new["kubernetes_cgroup_v1"]) == ("systemd", "refuse")
    assert new["kubernetes_containerd_restrict_oom_score_adj"] is False
    assert (new["node_cpus"], new["node_memory_gib"], new["node_accelerator_count"]) == (8, 64, 8)


def test_programs_are_told_by_checksum() -> None:
    made = hosts()["lab-3"]
    assert made["kubernetes_binaries"] == GIVEN.programs
    assert made["kubernetes_binaries_from"] == "/opt/raceway/bin"

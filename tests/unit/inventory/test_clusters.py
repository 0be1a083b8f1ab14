"""Rules between nodes of a Kubernetes cluster: for each a cluster that breaks it and one beside it that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from raceway.inventory import check, load

COMMON = {
    "raceway_roles": ["node", "kernel", "kubernetes"],
    "kubernetes_endpoint": "10.0.0.10:6443",
    "kubernetes_proxy_mode": "iptables",
}


def findings(
    folder: Path, hosts: dict[str, dict[str, object]], planes: tuple[str, ...] = ("a",)
) -> list[tuple[str, str]]:
    """Return variable and severity of what is wrong with these hosts; those of ``planes`` carry the control plane."""
    rows = {name: {"ansible_host": f"10.0.0.{20 + n}", **row} for n, (name, row) in enumerate(hosts.items())}
    for name in planes:
        rows[name]["kubernetes_node_role"] = "control_plane"
    groups = {"nodes": {"hosts": rows, "vars": COMMON}, "kubernetes_control_planes": {"hosts": dict.fromkeys(planes)}}
    (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"children": groups}}))
    return [(one.variable, one.severity) for one in check(load([str(folder / "hosts.yml")]))]


Hosts = dict[str, dict[str, object]]


@pytest.mark.parametrize(
    ("hosts", "planes"),
    [
        ({"a": {}, "b": {}, "c": {}}, ("a",)),
        ({"a": {}, "b": {}, "c": {}}, ("a", "b", "c")),
        ({"a": {}, "b": {"kubernetes_version": "1.34.2"}}, ("a",)),
        ({"a": {}, "b": {"kubernetes_state": "absent", "kubernetes_endpoint": "old:6443"}}, ("a",)),
        ({"a": {}, "b": {"raceway_roles": ["node"], "kubernetes_endpoint": "old:6443"}}, ("a",)),
        (
            {
                "a": {},
                "b": {
                    "kubernetes_cluster_name": "second",
                    "kubernetes_first_control_plane": "b",
                    "kubernetes_endpoint": "b:6443",
                },
            },
            ("a", "b"),
        ),
    ],
)
def test_clusters_that_can_be_so_have_no_finding(tmp_path: Path, hosts: Hosts, planes: tuple[str, ...]) -> None:
    assert findings(tmp_path, hosts, planes) == []


@pytest.mark.parametrize(
    ("hosts", "planes", "wrong"),
    [
        ({"a": {}, "b": {"kubernetes_endpoint": "10.0.0.9:6443"}}, ("a",), ("kubernetes_endpoint", "error")),
        ({"a": {}, "b": {"kubernetes_pod_subnet": "10.1.0.0/16"}}, ("a",), ("kubernetes_pod_subnet", "error")),
        ({"a": {}, "b": {"kubernetes_cni": "none"}}, ("a",), ("kubernetes_cni", "error")),
        ({"a": {"kubernetes_version": "1.34.1"}, "b": {}}, ("a",), ("kubernetes_version", "error")),
        ({"a": {}, "b": {}}, ("a", "b"), ("kubernetes_node_role", "warning")),
    ],
)
def test_a_cluster_that_cannot_be_so_is_told_once(
    tmp_path: Path, hosts: Hosts, planes: tuple[str, ...], wrong: tuple[str, str]
) -> None:
    assert findings(tmp_path, hosts, planes) == [wrong]


def test_a_first_node_that_is_nowhere_in_the_cluster_is_told(tmp_path: Path) -> None:
    named: Hosts = {name: {"kubernetes_first_control_plane": "z"} for name in ("a", "b")}
    assert findings(tmp_path, named) == [("kubernetes_first_control_plane", "error")]


def test_a_worker_cannot_be_the_first_node_of_the_others(tmp_path: Path) -> None:
    named: Hosts = {name: {"kubernetes_first_control_plane": "b"} for name in ("a", "c")}
    named["b"] = {"kubernetes_first_control_plane": "b"}
    assert ("kubernetes_first_control_plane", "error") in findings(tmp_path, named)


def test_virtual_addresses_of_control_plane_nodes_agree_and_workers_need_none(tmp_path: Path) -> None:
    virtual = {"kubernetes_virtual_ip": {"address": "10.0.0.10", "interface": "eth0"}}
    hosts: Hosts = {"a": virtual, "b": virtual, "c": virtual, "d": {}}
    assert findings(tmp_path, hosts, ("a", "b", "c")) == []
    hosts["c"] = {}
    assert findings(tmp_path, hosts, ("a", "b", "c")) == [("kubernetes_virtual_ip", "error")]


def test_the_callable_that_finds_places_is_asked_for_the_odd_host(tmp_path: Path) -> None:
    from raceway.inventory.clusters import Clusters
    from raceway.inventory.evaluate import HostValues
    from raceway.inventory.origin import Origin

    asked: list[tuple[str, str]] = []

    def place(host: str, name: str) -> Origin:
        asked.append((host, name))
        return Origin()

    seen: Callable[[str, str], Origin] = place
    clusters = Clusters(seen)
    base = dict.fromkeys(("first_control_plane", "dns_domain", "image_repository", "cni", "proxy_mode"), "x")
    for host, subnet in (("a", "1"), ("b", "1"), ("c", "2")):
        values = {**base, "pod_subnet": subnet, "service_subnet": "s", "endpoint": "e", "node_pod_prefix": 24}
        values |= {"state": "present", "node_role": "worker", "cluster_name": "k", "version": "1.35.4"}
        roles = {"kubernetes": {f"kubernetes_{name}": value for name, value in values.items()}}
        clusters.see(HostValues(host, roles, ("kubernetes",), frozenset()))
    assert any("'1' (a and 1 more), '2' (c)" in one.found for one in clusters.report())
    assert ("c", "kubernetes_pod_subnet") in asked

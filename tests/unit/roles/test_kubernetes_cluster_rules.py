"""Declarations of a node's part in a cluster that cannot be right: each is refused with what to do.

Every row is one mistake on top of a declaration that is fine, and gives exactly one problem.
"""

from __future__ import annotations

from typing import Any

import pytest

from raceway.roles import kubernetes_cluster

from .test_kubernetes_rules import DEFAULTS

FINE = {
    "node_name": "node1",
    "node_role": "control_plane",
    "first_control_plane": "node1",
    "endpoint": "10.0.0.10:6443",
}
WIDE = {"pod_subnet": "10.0.0.0/8", "service_subnet": "172.16.0.0/16", "endpoint": "api.example:6443"}
VIRTUAL = {"address": "10.0.0.10", "interface": "eth0", "prefix": 24}


def make_values(**given: Any) -> dict[str, Any]:
    return {**DEFAULTS, **{f"kubernetes_{name}": value for name, value in {**FINE, **given}.items()}}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"node_role": "worker", "first_control_plane": "node0"},
        {"virtual_ip": VIRTUAL},
        {"virtual_ip": VIRTUAL, "endpoint": "api.example:6443", "cert_sans": ["*.example", "10.0.0.9"]},
        {
            "pod_subnet": "fd00:1::/48",
            "node_pod_prefix": 64,
            "service_subnet": "fd00:2::/108",
            "endpoint": "[fd00::1]:6443",
        },
        {"cni": "manifests", "cni_manifests": ["/srv/cilium.yaml", "https://mirror.example/calico.yaml"]},
        {"cni": "none", "proxy_mode": "none"},
        {"etcd_snapshot": {"folder": "/var/backups/etcd", "keep": 3, "on_calendar": "*-*-* 03:00"}},
        {"init_extra": {"etcd": {"local": {"dataDir": "/mnt/nvme/etcd"}}, "scheduler": {}}},
        {"labels": {"example.com/pool": "a"}, "taints": ["gpu=yes:NoSchedule", "gpu=yes:NoExecute"]},
        {"ignore_preflight": ["SystemVerification", "NumCPU"]},
    ],
)
def test_what_can_be_right_has_no_problem(given: dict[str, Any]) -> None:
    assert kubernetes_cluster.rules(make_values(**given)) == []


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"node_name": "Node_1", "first_control_plane": "n"}, "node_name", "'Node_1'"),
    ({"cluster_name": "my cluster"}, "cluster_name", "'my cluster'"),
    ({"dns_domain": "cluster.local."}, "dns_domain", "'cluster.local.'"),
    ({"first_control_plane": ""}, "first_control_plane", "empty"),
    ({"node_role": "worker"}, "first_control_plane", "node1, which is declared a worker"),
    ({"endpoint": ""}, "endpoint", "empty"),
    ({"endpoint": "10.0.0.10"}, "endpoint", "'10.0.0.10'"),
    ({"endpoint": "https://10.0.0.10:6443"}, "endpoint", "'https://10.0.0.10:6443'"),
    ({"endpoint": "10.0.0.10:70000"}, "endpoint", "'10.0.0.10:70000'"),
    ({"endpoint": "127.0.0.1:6443"}, "endpoint", "127.0.0.1:6443"),
    (
        {"virtual_ip": VIRTUAL, "endpoint": "10.0.0.11:6443"},
        "endpoint",
        "10.0.0.11, kubernetes_virtual_ip is 10.0.0.10",
    ),
    ({"virtual_ip": {"interface": "eth0"}}, "virtual_ip", "address None"),
    ({"virtual_ip": {"address": "10.0.0.10"}}, "virtual_ip", "interface None"),
    ({"virtual_ip": {**VIRTUAL, "prefix": 33}}, "virtual_ip", "prefix 33"),
    ({"virtual_ip": {**VIRTUAL, "router_id": 256}}, "virtual_ip", "router_id 256"),
    ({"pod_subnet": "10.244.0.0"}, "node_pod_prefix", "/24"),
    ({"pod_subnet": "10.244.1.0/16"}, "pod_subnet", "'10.244.1.0/16': 10.244.1.0/16 has host bits set"),
    ({"service_subnet": "services"}, "service_subnet", "'services': 'services' does not appear"),
    ({"pod_subnet": "10.96.0.0/16"}, "service_subnet", "10.96.0.0/12 overlaps kubernetes_pod_subnet 10.96.0.0/16"),
    ({"service_subnet": "11.0.0.0/8"}, "service_subnet", "11.0.0.0/8"),
    ({"service_subnet": "fd00::/108"}, "service_subnet", "IPv6, kubernetes_pod_subnet is IPv4"),
    ({"node_pod_prefix": 16}, "node_pod_prefix", "/16"),
    ({**WIDE, "node_pod_prefix": 25}, "node_pod_prefix", "/25"),
    ({"node_pod_prefix": 26}, "node_pod_prefix", "/26 has 61 addresses for pods, kubernetes_max_pods is 110"),
    ({"endpoint": "10.244.0.1:6443"}, "pod_subnet", "10.244.0.0/16 holds 10.244.0.1 (kubernetes_endpoint)"),
    ({"advertise_address": "10.96.1.1"}, "service_subnet", "10.96.0.0/12 holds 10.96.1.1"),
    ({"advertise_address": "node1"}, "advertise_address", "'node1'"),
    ({"advertise_address": "0.0.0.0"}, "advertise_address", "'0.0.0.0'"),
    ({"virtual_ip": VIRTUAL, "advertise_address": "10.0.0.10"}, "advertise_address", "10.0.0.10, which is the virtual"),
    ({"cni": "manifests"}, "cni_manifests", "empty"),
    ({"cni_manifests": ["/srv/net.yaml"]}, "cni_manifests", "given, with kubernetes_cni: bridge"),
    ({"cni": "manifests", "cni_manifests": ["net.yaml"]}, "cni_manifests", "net.yaml"),
    ({"cni_mtu": 100}, "cni_mtu", "100"),
    ({"labels": {"bad key": "x"}}, "labels", "'bad key'"),
    ({"taints": ["gpu"]}, "taints", "'gpu'"),
    ({"taints": ["gpu=a:NoSchedule", "gpu=b:NoSchedule"]}, "taints", "gpu:NoSchedule twice"),
    ({"cert_sans": ["https://api.example"]}, "cert_sans", "'https://api.example'"),
    ({"certificates_warn_days": 365}, "certificates_warn_days", "365"),
    ({"etcd_snapshot": {"folder": "backups"}}, "etcd_snapshot", "folder 'backups'"),
    ({"etcd_snapshot": {"folder": "/var/lib/etcd/copies"}}, "etcd_snapshot", "folder /var/lib/etcd/copies"),
    ({"etcd_snapshot": {"folder": "/b", "keep": 0}}, "etcd_snapshot", "keep 0"),
    ({"etcd_snapshot": {"folder": "/b", "on_calendar": " "}}, "etcd_snapshot", "on_calendar ' '"),
    ({"join_ttl_min": 1440}, "join_ttl_min", "1440"),
    ({"drain_timeout_s": 0}, "drain_timeout_s", "0"),
    ({"init_extra": {"clusterName": "x"}}, "init_extra", "clusterName is given"),
    ({"init_extra": {"networking": {"podSubnet": "10.1.0.0/16"}}}, "init_extra", "networking.podSubnet is given"),
    ({"init_extra": {"apiserver": {}}}, "init_extra", "apiserver is no field"),
    ({"ignore_preflight": ["all"]}, "ignore_preflight", "all"),
]


@pytest.mark.parametrize(("given", "variable", "found"), WRONG)
def test_what_cannot_be_right_is_refused_once_with_what_to_do(given: dict[str, Any], variable: str, found: str) -> None:
    problems = kubernetes_cluster.rules(make_values(**given))
    assert [(one.variable, one.found.startswith(found)) for one in problems] == [(f"kubernetes_{variable}", True)]
    assert all(one.act and one.allowed and one.severity == "error" for one in problems)


def test_a_deprecated_proxy_mode_is_a_warning_and_no_error() -> None:
    (problem,) = kubernetes_cluster.rules(make_values(proxy_mode="ipvs"))
    assert problem.severity == "warning" and "nftables" in problem.act

"""What kubeadm, kubectl and ip print, as recorded on lab nodes with Kubernetes 1.35.4 (tokens and keys replaced)."""

from __future__ import annotations

import pytest

from raceway.facts.kube_cluster import (
    PodRoute,
    parse_advertised,
    parse_image_version,
    parse_join,
    parse_nodes,
    parse_routes,
    parse_server,
    parse_version,
)

from ..builders import CASES


def recorded(name: str) -> str:
    return (CASES / "kube_cluster/recorded" / name).read_text(encoding="utf-8")


def test_nodes_are_read_with_what_a_route_and_a_label_need() -> None:
    first, second = parse_nodes(recorded("nodes.json.txt"))
    assert (first.name, first.pod_subnet, first.address) == ("k2-1", "10.244.0.0/24", "10.213.0.11")
    assert first.taints == ("node-role.kubernetes.io/control-plane:NoSchedule",) and first.ready is True
    assert "node-role.kubernetes.io/control-plane" in first.labels
    assert second.kubelet == "1.35.4" and not second.taints and not second.unschedulable


def test_a_node_whose_kubelet_is_silent_is_neither_ready_nor_not_and_says_why() -> None:
    (node,) = parse_nodes(recorded("node-unknown.json.txt"))
    assert node.ready is None and node.why_not == "Kubelet stopped posting node status."
    assert node.unschedulable and "node.kubernetes.io/unreachable:NoExecute" in node.taints


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "Status"}', "error: no"])
def test_what_holds_no_nodes_is_an_error_and_not_an_empty_cluster(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_nodes(text)


def test_the_join_command_gives_token_and_sum_or_neither() -> None:
    assert parse_join(recorded("join-command.txt")) == ("abcdef.0123456789abcdef", "sha256:" + "5b" * 32)
    assert parse_join("kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef") == ("", "")


def test_the_api_servers_manifest_tells_version_and_address() -> None:
    text = recorded("kube-apiserver.yaml.txt")
    assert (parse_image_version(text), parse_advertised(text)) == ("1.35.4", "10.213.0.11")
    assert (parse_image_version(""), parse_advertised("kind: Pod\n")) == ("", "")


def test_a_kubeconfig_tells_the_server_and_nothing_else() -> None:
    assert parse_server("    server: https://[fd00::1]:6443\n    client-key-data: x\n") == "[fd00::1]:6443"
    assert parse_server("users: []\n") == ""


def test_kubeadms_version_is_read_and_a_message_is_none() -> None:
    assert (parse_version("v1.35.4\n"), parse_version("v1.36.0-rc.1\n")) == ("1.35.4", "1.36.0-rc.1")
    assert parse_version("error: unknown flag") == ""


def test_routes_are_those_with_a_next_hop() -> None:
    text = '[{"dst":"10.244.1.0/24","gateway":"10.213.0.12","dev":"eth0","protocol":"204","flags":[]},{"dst":"x"}]'
    assert parse_routes(text) == (PodRoute("10.244.1.0/24", "10.213.0.12"),)
    assert parse_routes("") == parse_routes("Error: x") == ()

"""A node's part in a cluster through whole runs of the node program: made, joined, mended and left, no secret kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raceway.apply import kube_cluster_api
from raceway.host import Result
from raceway.node.program import run

from ..builders import snapshot
from ..fake_cluster import HASH, KEY, TOKEN, FakeCluster
from ..requests import make_request

KUBECONFIG = "users:\n- user:\n    client-key-data: U0VDUkVUU0VDUkVU\n"
MEANS = {"token": TOKEN, "ca_hash": HASH, "certificate_key": KEY, "kubeconfig": KUBECONFIG}
SPEC: dict[str, Any] = {
    "present": True,
    "role": "worker",
    "name": "node1",
    "version": "1.35.4",
    "endpoint": "10.0.0.10:6443",
    "pod_subnet": "10.244.0.0/16",
    "service_subnet": "10.96.0.0/12",
    "labels": {"raceway.dev/rack": "r1"},
    "taints": ["gpu=yes:NoSchedule"],
}
FIRST = {**SPEC, "role": "control_plane", "first": True, "advertise": "10.0.0.11"}
PLANE = {**FIRST, "first": False}
LEDGER = "/var/lib/raceway/ledger.json"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(kube_cluster_api.time, "sleep", lambda _: None)
    for limit in ("ADDRESSES_S", "ROUTES_S", "READY_S"):
        monkeypatch.setattr(kube_cluster_api, limit, 0.0)
    return FakeCluster(tmp_path)


def call(host: FakeCluster, mode: str, spec: dict[str, Any], means: dict[str, str] | None = None, **more: Any) -> Any:
    request = make_request(mode, **more, kube_cluster=spec)
    return run({**request, "secrets": {"kube_cluster": means}} if means else request, host)


def done(answer: Any) -> list[str]:
    return [row["type"] for row in answer["applied"]]


def test_the_first_node_makes_the_cluster_and_a_second_run_finds_nothing_to_do(host: FakeCluster) -> None:
    answer = call(host, "apply", FIRST)
    assert not answer["refused"] and not answer["remaining"]
    assert "kube_init" in done(answer) and done(answer)[-1] == "kube_ready"
    assert "10.244.0.0/24" in (host.read("/etc/cni/net.d/10-raceway.conflist") or "")
    assert host.nodes["node1"]["metadata"]["labels"] == SPEC["labels"]
    again = call(host, "apply", FIRST)
    assert not again["applied"] and not again["refused"]


def test_the_token_kubeadm_makes_by_itself_is_taken_away(host: FakeCluster) -> None:
    call(host, "apply", FIRST)
    deleted = [line for line in host.calls if "delete secret" in line]
    assert deleted and "type=bootstrap.kubernetes.io/token" in deleted[0]


def test_a_worker_joins_with_what_came_beside_the_request(host: FakeCluster) -> None:
    answer = call(host, "apply", SPEC, MEANS)
    assert not answer["refused"] and not answer["remaining"]
    document, mode = host.seen[-1]
    assert TOKEN in document and HASH in document and mode == 0o600
    assert host.nodes["node1"]["metadata"]["labels"] == SPEC["labels"]
    assert not call(host, "apply", SPEC)["applied"]


def test_no_secret_is_in_a_file_answer_ledger_or_argument(host: FakeCluster, tmp_path: Path) -> None:
    answer = call(host, "apply", PLANE, MEANS)
    assert not answer["refused"]
    everything = json.dumps(answer) + json.dumps(snapshot(tmp_path)) + "\n".join(host.calls)
    assert not [name for name, secret in MEANS.items() if secret in everything or json.dumps(secret) in everything]
    assert list((tmp_path / "run/raceway/kube").iterdir()) == []
    assert (tmp_path / "run/raceway/kube").stat().st_mode & 0o777 == 0o700


def test_what_a_failing_join_printed_is_told_without_its_secrets(host: FakeCluster, tmp_path: Path) -> None:
    said = f"error execution phase preflight: couldn't validate {TOKEN} of {KEY}\nTo see the stack trace use --v=5\n"
    host.failing["kubeadm join"] = Result(1, "", said)
    answer = call(host, "apply", PLANE, MEANS)
    text = json.dumps(answer)
    assert "couldn't validate <secret> of <secret>" in text and TOKEN not in text and KEY not in text
    assert list((tmp_path / "run/raceway/kube").iterdir()) == []
    assert "not done, because kubeadm join did not end well" in text


def test_a_plan_needs_no_secret_and_is_what_is_then_done(host: FakeCluster) -> None:
    planned = call(host, "plan", SPEC)["roles"]["system"]["steps"]
    answer = call(host, "apply", SPEC, MEANS)
    assert [step["type"] for step in planned] == done(answer)


def test_a_worker_without_means_is_refused_and_left_out_of_the_cluster(host: FakeCluster) -> None:
    answer = call(host, "apply", SPEC)
    assert "nothing came that lets the node in" in json.dumps(answer["refused"])
    assert not any(line.startswith("kubeadm join") for line in host.calls)


def test_a_control_plane_node_needs_the_key_of_the_certificates(host: FakeCluster) -> None:
    answer = call(host, "apply", PLANE, {**MEANS, "certificate_key": ""})
    assert "the key of the control plane's certificates did not come along" in json.dumps(answer["refused"])


def test_a_join_that_was_killed_is_reset_before_the_next_attempt(host: FakeCluster) -> None:
    host.failing["kubeadm join"] = Result(1, "", "killed")
    call(host, "apply", SPEC, MEANS)
    host.failing.clear()
    answer = call(host, "apply", SPEC, MEANS)
    assert done(answer)[:2] == ["kube_reset", "kube_join"] and not answer["refused"] and not answer["remaining"]


def test_another_version_of_kubeadm_makes_nothing(host: FakeCluster) -> None:
    host.version = "1.34.2"
    answer = call(host, "apply", FIRST)
    assert "kubeadm is 1.34.2, 1.35.4 is declared" in json.dumps(answer["refused"])
    assert not any(line.startswith("kubeadm init") for line in host.calls)


def test_a_lost_route_and_a_lost_label_are_seen_and_mended(host: FakeCluster) -> None:
    call(host, "apply", SPEC, MEANS)
    host.add("node2", "10.244.9.0/24", "10.0.0.29")
    host.nodes["node1"]["metadata"]["labels"].clear()
    steps = call(host, "verify", SPEC)["roles"]["system"]["steps"]
    assert {step["type"] for step in steps} == {"kube_routes", "kube_labels"}
    answer = call(host, "apply", SPEC, MEANS)
    assert not answer["remaining"] and not call(host, "verify", SPEC)["roles"]["system"]["steps"]


def test_labels_and_taints_that_are_no_longer_declared_go_and_others_stay(host: FakeCluster) -> None:
    call(host, "apply", FIRST)
    host.nodes["node1"]["metadata"]["labels"]["somebody/else"] = "x"
    host.nodes["node1"]["spec"]["taints"] = [
        {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
    ]
    call(host, "apply", {**FIRST, "labels": {}, "taints": ["a:NoSchedule"]})
    assert host.nodes["node1"]["metadata"]["labels"] == {"somebody/else": "x"}
    assert [one["key"] for one in host.nodes["node1"]["spec"]["taints"]] == ["node.kubernetes.io/unschedulable", "a"]


def test_a_node_that_is_not_ready_in_time_is_told_with_the_kubelets_reason(host: FakeCluster) -> None:
    become = host._become

    def unready(document: str, first: bool) -> None:
        become(document, first)
        host.nodes["node1"]["status"]["conditions"][0] |= {"status": "False", "message": "cni plugin not initialized"}

    host._become = unready  # type: ignore[method-assign]
    answer = call(host, "apply", SPEC, MEANS)
    assert "cni plugin not initialized" in json.dumps(answer["refused"])


def test_an_absent_worker_leaves_with_consent_and_leaves_nothing_of_ours(host: FakeCluster, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    call(host, "apply", SPEC, MEANS)
    held = call(host, "apply", {})
    assert held["roles"]["system"]["refusals"][0]["act"] == "set system_allow_disruptive: true to consent"
    answer = call(host, "apply", {}, allow=("safe", "disruptive"))
    assert "kube_reset" in done(answer) and not answer["remaining"] and not answer["refused"]
    assert snapshot(tmp_path) == before and not host.running and not host.routes and not host.masquerading
    assert not host.exists(LEDGER)


def test_a_control_plane_node_goes_only_with_consent_to_lose_its_data(host: FakeCluster) -> None:
    call(host, "apply", PLANE, MEANS)
    held = call(host, "apply", {}, allow=("safe", "disruptive"))
    assert held["roles"]["system"]["refusals"][0]["act"] == "set system_allow_destructive: true to consent"
    assert host.exists("/etc/kubernetes/admin.conf")


def test_a_node_somebody_else_put_into_a_cluster_stays_in_it(host: FakeCluster) -> None:
    host._become("", True)
    answer = call(host, "apply", {}, allow=("safe", "disruptive", "destructive"))
    assert not answer["applied"] and host.exists("/etc/kubernetes/kubelet.conf")


def test_an_upgrade_runs_on_a_drained_node_alone_and_is_remembered(host: FakeCluster) -> None:
    call(host, "apply", SPEC, MEANS)
    host.version = "1.35.5"
    newer = {**SPEC, "version": "1.35.5"}
    assert "playbooks/upgrade.yml" in json.dumps(call(host, "plan", newer)["roles"]["system"]["refusals"])
    consent = ("safe", "disruptive")
    answer = call(host, "apply", {**newer, "upgrading": True}, allow=consent)
    assert done(answer) == ["kube_upgrade"] and not answer["remaining"] and not answer["refused"]
    assert any(line.startswith("kubeadm upgrade node") for line in host.calls)


def test_manifests_of_a_network_are_applied_once_and_again_when_they_change(host: FakeCluster, tmp_path: Path) -> None:
    (tmp_path / "srv").mkdir()
    (tmp_path / "srv/net.yaml").write_text("kind: DaemonSet\n")
    spec = {**FIRST, "cni": "manifests", "cni_manifests": ["/srv/net.yaml"]}
    assert "kube_manifest" in done(call(host, "apply", spec)) and not call(host, "apply", spec)["applied"]
    (tmp_path / "srv/net.yaml").write_text("kind: DaemonSet\nspec: {}\n")
    assert done(call(host, "apply", spec)) == ["kube_manifest"]

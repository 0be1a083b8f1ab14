"""What a control-plane node does for others, through the door the controller comes in by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raceway.apply import kube_cluster_acts, kube_cluster_restore
from raceway.errors import RacewayError
from raceway.host import Result
from raceway.node.kube import answer

from ..builders import make_tree, snapshot
from ..fake_cluster import HASH, MANIFEST, TOKEN, FakeCluster

ETCD = (
    "spec:\n  containers:\n  - command:\n    - etcd\n    - --initial-advertise-peer-urls=https://10.0.0.11:2380\n"
    "    image: registry.k8s.io/etcd:3.6.6-0\n"
)
COPY = "/var/backups/etcd/etcd-20260301T101500Z.db"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    for module in (kube_cluster_acts, kube_cluster_restore):
        monkeypatch.setattr(module.time, "sleep", lambda _: None)
    made = FakeCluster(tmp_path)
    made._become("", True)
    made.add("node2", "10.244.9.0/24", "10.0.0.12")
    return made


def ask(host: FakeCluster, act: str, **more: Any) -> dict[str, Any]:
    return answer({"mode": "kube", "act": act, "timeout_s": 1, "ttl_min": 15, **more}, host)


def test_means_are_a_token_its_sum_and_credentials_that_live_for_minutes(host: FakeCluster) -> None:
    means = ask(host, "means")["means"]
    assert (means["token"], means["ca_hash"], means["certificate_key"]) == (TOKEN, HASH, "")
    assert "client-key-data" in means["kubeconfig"]
    assert "kubeadm token create --ttl 15m --print-join-command" in host.calls
    assert any("--org raceway:converge --validity-period 1200s" in line for line in host.calls)
    assert not any("upload-certs" in line for line in host.calls)


def test_a_control_plane_node_gets_the_key_of_certificates_stored_for_it(host: FakeCluster, tmp_path: Path) -> None:
    key = ask(host, "means", control_plane=True)["means"]["certificate_key"]
    assert len(key) == 64 and key in host.seen[-1][0] and {mode for _, mode in host.seen} == {0o600}
    assert key not in "\n".join(host.calls) + json.dumps(snapshot(tmp_path))
    assert ask(host, "means", control_plane=True)["means"]["certificate_key"] != key


def test_kubeadm_is_told_version_and_address_so_that_it_asks_no_internet(host: FakeCluster) -> None:
    ask(host, "means")
    assert "kubernetesVersion: v1.35.4" in host.seen[0][0] and '"10.0.0.11"' in host.seen[0][0]


def test_a_node_that_carries_no_control_plane_has_no_means(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="no control-plane node of a cluster"):
        ask(FakeCluster(tmp_path), "means")


def test_what_kubeadm_says_when_it_fails_is_told_without_secrets(host: FakeCluster) -> None:
    host.failing["kubeadm token create"] = Result(1, "", f"timed out creating {TOKEN}")
    with pytest.raises(RacewayError, match="timed out creating <secret>"):
        ask(host, "means")


def test_a_drain_respects_its_limit_and_says_who_stayed(host: FakeCluster) -> None:
    assert ask(host, "drain", node="node2") == {"changed": True}
    assert any("drain node2 --ignore-daemonsets --delete-emptydir-data --timeout 1s" in line for line in host.calls)
    said = "Cannot evict pod as it would violate the pod's disruption budget."
    host.failing["kubectl --kubeconfig /etc/kubernetes/admin.conf drain"] = Result(1, "", said)
    with pytest.raises(RacewayError, match=r"disruption budget.*it stays cordoned"):
        ask(host, "drain", node="node2")


def test_a_node_the_cluster_does_not_know_needs_no_drain_and_no_delete(host: FakeCluster) -> None:
    assert ask(host, "drain", node="node7") == {"changed": False}
    gone = 'Error from server (NotFound): nodes "node7" not found'
    host.failing["kubectl --kubeconfig /etc/kubernetes/admin.conf delete"] = Result(1, "", gone)
    assert ask(host, "delete", node="node7") == {"changed": False}


def test_a_node_that_does_not_get_ready_stays_cordoned(host: FakeCluster) -> None:
    assert ask(host, "uncordon", node="node2") == {"changed": True}
    host.failing["kubectl --kubeconfig /etc/kubernetes/admin.conf wait"] = Result(1, "", "timed out waiting")
    with pytest.raises(RacewayError, match="so it stays cordoned: timed out waiting"):
        ask(host, "uncordon", node="node2")


def stopped(host: FakeCluster, tmp_path: Path) -> None:
    make_tree(tmp_path, {"/etc/kubernetes/manifests/etcd.yaml": ETCD, "/var/lib/etcd/member/wal": "old", COPY: "db"})
    assert ask(host, "stop") == {"changed": True}


def restored(host: FakeCluster, tmp_path: Path) -> None:
    def unpack(words: list[str]) -> Result:
        make_tree(tmp_path, {f"{words[words.index('--data-dir') + 1]}/member/wal": "new"})
        return Result(0, "", "")

    host._ctr = unpack  # type: ignore[attr-defined]


def test_a_restore_puts_the_copys_data_in_place_and_keeps_the_former(host: FakeCluster, tmp_path: Path) -> None:
    stopped(host, tmp_path)
    restored(host, tmp_path)
    done = ask(host, "restore", node="node1", snapshot=COPY, address="")
    assert host.read("/var/lib/etcd/member/wal") == "new" and host.read(f"{done['kept']}/wal") == "old"
    assert host.read("/etc/kubernetes/manifests/kube-apiserver.yaml") == MANIFEST
    assert not host.exists("/etc/kubernetes/manifests.raceway-stopped")
    (line,) = [line for line in host.calls if line.startswith("ctr ")]
    assert "registry.k8s.io/etcd:3.6.6-0 raceway-etcdutl etcdutl snapshot restore" in line
    assert "--initial-cluster node1=https://10.0.0.11:2380" in line and "--bump-revision" in line


def test_a_restore_that_fails_leaves_the_former_data_where_they_were(host: FakeCluster, tmp_path: Path) -> None:
    stopped(host, tmp_path)
    host.failing["ctr"] = Result(1, "", "snapshot missing hash but --skip-hash-check=false")
    with pytest.raises(RacewayError, match="snapshot missing hash"):
        ask(host, "restore", node="node1", snapshot=COPY, address="")
    assert host.read("/var/lib/etcd/member/wal") == "old"


def test_a_snapshot_that_is_not_there_is_told_before_anything_stops(host: FakeCluster, tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="nothing was stopped"):
        ask(host, "look", snapshot=COPY)
    make_tree(tmp_path, {COPY: "db"})
    with pytest.raises(RacewayError, match="no etcd on this node"):
        ask(host, "look", snapshot=COPY)
    make_tree(tmp_path, {"/etc/kubernetes/manifests/etcd.yaml": ETCD})
    assert ask(host, "look", snapshot=COPY) == {"changed": False}


def test_nothing_is_restored_under_a_running_etcd_or_from_nothing(host: FakeCluster, tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="is not on this node"):
        ask(host, "restore", node="node1", snapshot=COPY, address="")
    make_tree(tmp_path, {COPY: "db"})
    with pytest.raises(RacewayError, match="has not been stopped"):
        ask(host, "restore", node="node1", snapshot=COPY, address="")


def test_a_control_plane_that_does_not_stop_is_told(host: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kube_cluster_restore, "STOP_S", 0.0)
    host.running.add("etcd")
    with pytest.raises(RacewayError, match="etcd still run"):
        ask(host, "stop")


def test_a_former_members_data_go_aside_so_that_it_can_join_anew(host: FakeCluster, tmp_path: Path) -> None:
    stopped(host, tmp_path)
    assert ask(host, "reset") == {"changed": True}
    assert not host.exists("/var/lib/etcd/member") and not host.exists("/etc/kubernetes/manifests.raceway-stopped")
    assert "remove-etcd-member" in host.seen[-1][0]
    kept = [name for name in host.listdir("/var/lib/etcd") if name.startswith("member.before-")]
    assert len(kept) == 1


def test_an_act_that_is_none_is_refused(host: FakeCluster) -> None:
    with pytest.raises(RacewayError, match=r"act 'explode'; allowed: means"):
        ask(host, "explode")

"""The kubelet and the runtime through whole runs: written, restarted, interrupted, mended, given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.model.containerd import CONFIG as RUNTIME_CONFIG
from raceway.model.kubelet import BASE, CONFIG, DROP_IN, STATES
from raceway.node.program import run

from ..builders import snapshot
from ..requests import make_request
from ..systemd import SERVICE, SystemdHost

UNIT, RUNTIME = "kubelet.service", "containerd.service"
SPEC: dict[str, Any] = {"present": True, "config": {"maxPods": 110, "cpuManagerPolicy": "none"}}
UNITS = {f"/usr/lib/systemd/system/{name}": SERVICE for name in (UNIT, RUNTIME)}
TASK = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/c1/init.pid"


def make_host(root: Path, **files: str) -> SystemdHost:
    return SystemdHost(root, {**UNITS, "/etc/hostname": "n1\n", **files})


def call(host: SystemdHost, mode: str, consent: bool = True, **nouns: dict[str, Any]) -> dict[str, Any]:
    allow = ("safe", "disruptive") if consent else ("safe",)
    return run(make_request(mode, allow, **nouns), host)


def test_a_node_is_made_ready_without_starting_a_kubelet_and_given_back(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    before = snapshot(tmp_path)
    assert call(host, "plan", kubelet=SPEC)["roles"]["system"]["steps"] and snapshot(tmp_path) == before
    answer = call(host, "apply", kubelet=SPEC)
    assert not answer["remaining"] and not answer["refused"] and host.starts == 0
    assert "--config-dir=/etc/kubernetes/kubelet.conf.d" in (host.read(DROP_IN) or "")
    assert not call(host, "apply", kubelet=SPEC)["applied"]
    answer = call(host, "apply", kubelet={})
    assert not answer["refused"] and not answer["remaining"]
    assert {path for path in snapshot(tmp_path) if "multi-user" not in path} == set(before)


def test_a_kubelet_of_a_cluster_is_restarted_for_a_setting_and_once(tmp_path: Path) -> None:
    host = make_host(tmp_path, **{BASE: "cgroupDriver: systemd\n"})
    call(host, "apply", kubelet=SPEC)
    assert host.starts == 1, "the node is part of a cluster, so its kubelet has to run"
    call(host, "apply", kubelet={**SPEC, "config": {"maxPods": 60, "cpuManagerPolicy": "none"}})
    assert (
        host.starts == 2
        and not call(host, "apply", kubelet={**SPEC, "config": {"maxPods": 60, "cpuManagerPolicy": "none"}})["applied"]
    )


def test_without_consent_nothing_of_it_happens_and_the_refusal_names_the_variable(tmp_path: Path) -> None:
    host = make_host(tmp_path, **{BASE: "", TASK: "1"})
    call(host, "apply", kubelet=SPEC)
    was = host.read(CONFIG)
    answer = call(host, "apply", consent=False, kubelet={**SPEC, "config": {"maxPods": 20, "cpuManagerPolicy": "none"}})
    assert host.read(CONFIG) == was and host.starts == 1
    acts = {row["act"] for row in answer["roles"]["system"]["refusals"]}
    assert acts == {"set system_allow_disruptive: true to consent"}


def test_a_new_cpu_policy_takes_its_checkpoint_away_while_the_kubelet_is_stopped(tmp_path: Path) -> None:
    path = STATES["cpuManagerPolicy"]
    host = make_host(tmp_path, **{BASE: "", path: '{"policyName":"none"}'})
    call(host, "apply", kubelet=SPEC)
    static = {**SPEC, "config": {**SPEC["config"], "cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}}
    answer = call(host, "apply", kubelet=static)
    assert not host.exists(path) and UNIT in host.running and not answer["remaining"]
    stop, start = (
        next(n for n, line in enumerate(host.calls) if f"systemctl {verb} -- {UNIT}" in line)
        for verb in ("stop", "restart")
    )
    assert stop > start, "the restart before it belongs to the first converge"


def test_a_restart_that_failed_is_owed_and_told_with_the_kubelets_own_words(tmp_path: Path) -> None:
    host = make_host(tmp_path, **{BASE: ""})
    call(host, "apply", kubelet=SPEC)
    host.fails[UNIT] = "failed to run Kubelet: misconfiguration: kubelet cgroup driver"
    other = {**SPEC, "config": {"maxPods": 60, "cpuManagerPolicy": "none"}}
    (refusal,) = call(host, "apply", kubelet=other)["refused"]
    assert "misconfiguration" in refusal["reason"]
    host.fails.clear()
    assert [row["type"] for row in call(host, "apply", kubelet=other)["applied"]] == ["kube_up"]
    assert not call(host, "apply", kubelet=other)["applied"]


@pytest.mark.parametrize("edit", ["maxPods", ""])
def test_an_edit_and_a_removal_are_seen_by_verify_and_mended(tmp_path: Path, edit: str) -> None:
    host = make_host(tmp_path)
    call(host, "apply", kubelet=SPEC)
    right, place = host.read(CONFIG) or "", tmp_path / CONFIG.lstrip("/")
    place.write_text(right.replace(edit, "podsPerCore")) if edit else place.unlink()
    assert call(host, "verify", kubelet=SPEC)["roles"]["system"]["steps"]
    call(host, "apply", kubelet=SPEC)
    assert host.read(CONFIG) == right


def test_the_runtime_comes_up_with_its_files_and_is_what_it_was_afterwards(tmp_path: Path) -> None:
    host = make_host(tmp_path, **{RUNTIME_CONFIG: "version = 2\n"})
    before = snapshot(tmp_path)
    answer = call(host, "apply", containerd={"present": True, "snapshotter": "native"})
    assert not answer["remaining"] and RUNTIME in host.running
    assert 'snapshotter = "native"' in (host.read(RUNTIME_CONFIG) or "")
    assert not call(host, "apply", containerd={"present": True, "snapshotter": "native"})["applied"]
    answer = call(host, "apply", containerd={})
    assert not answer["refused"] and not answer["remaining"]
    assert snapshot(tmp_path) == before and RUNTIME not in host.running


def test_a_runtime_that_ran_is_not_stopped_by_its_removal_even_where_somebody_stopped_it_between(
    tmp_path: Path,
) -> None:
    host = make_host(tmp_path)
    for verb in ("enable", "start"):
        host.run(["systemctl", verb, RUNTIME])
    call(host, "apply", containerd={"present": True, "snapshotter": "native"})
    for verb in ("disable", "stop"):
        host.run(["systemctl", verb, RUNTIME])
    call(host, "apply", containerd={"present": True, "snapshotter": "native"})
    call(host, "apply", containerd={})
    links = [path for path in snapshot(tmp_path) if path.endswith(f".wants/{RUNTIME}")]
    assert RUNTIME in host.running and links


def test_a_unit_of_ours_goes_with_its_programs(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/etc/hostname": "n1\n"})
    before = snapshot(tmp_path)
    spec = {"present": True, "snapshotter": "native", "unit": SERVICE}
    answer = call(host, "apply", containerd=spec)
    assert not answer["remaining"] and RUNTIME in host.running
    answer = call(host, "apply", containerd={})
    assert not answer["refused"] and not answer["remaining"] and RUNTIME not in host.running
    assert snapshot(tmp_path) == before


def test_a_runtime_that_does_not_come_up_is_told_with_its_own_words(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    host.fails[RUNTIME] = "containerd: invalid plugin config: no_pivot"
    (refusal,) = call(host, "apply", containerd={"present": True, "snapshotter": "native"})["refused"]
    assert refusal["target"] == RUNTIME and "no_pivot" in refusal["reason"]

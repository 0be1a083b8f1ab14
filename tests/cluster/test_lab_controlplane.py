"""The lab's control plane on real programs: what serves, what comes back, what is left.

It cannot see container nodes (``test_lab_nodes``) nor anything a kubelet does: kwok plays the kubelets.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from raceway.lab import Lab, processes

from .conftest import Kubectl, install_volcano, kubectl_of, machine

Name = Callable[[str], str]


def until(check: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Wait until ``check`` gives something true; give it back."""
    end = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < end, f"not within {seconds} s: {check}"
        time.sleep(0.1)
    return found


def state(lab: Lab, program: str) -> Any:
    return next(one for one in lab.status().programs if one.name == program)


@pytest.fixture(scope="module")
def own(lab_name: Name) -> Iterator[Lab]:
    made = Lab(lab_name("-own"))
    yield made
    made.down()


@pytest.fixture
def lab(own: Lab) -> Lab:
    """A control plane for tests that break it; each begins with one machine and all programs up."""
    own.up(machines=[machine(0)], containers=False)
    return own


def vcjob(name: str, replicas: int, gpus: int, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": str(gpus)}
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1", **limits}, "limits": limits}}
    template = {
        "metadata": {"annotations": annotations or {}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    task = {"name": "w", "replicas": replicas, "template": template}
    spec = {"schedulerName": "volcano", "minAvailable": replicas, "tasks": [task]}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def phase(kubectl: Kubectl, job: str) -> str:
    return str(kubectl("get", "vcjob", job).get("status", {}).get("state", {}).get("phase", ""))


def test_a_control_plane_alone_is_ready_in_eight_seconds(lab_name: Name) -> None:
    lab = Lab(lab_name("-fast"))
    began = time.monotonic()
    try:
        lab.up(machines=[machine(index) for index in range(4)], containers=False)
        took = time.monotonic() - began
        assert lab.status().ok
    finally:
        lab.down()
    # The promise is for an idle machine; a loaded one is held to it in proportion.
    allowed = 8.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert took < allowed, f"{took:.1f} s, allowed {allowed:.1f} s"


def test_fake_nodes_are_the_machines_and_carry_no_label_but_their_name(control_plane: Lab, kubectl: Kubectl) -> None:
    nodes = {node["metadata"]["name"]: node for node in kubectl("get", "nodes")["items"]}
    assert sorted(nodes) == ["node1", "node2", "node3", "node4"]
    node = nodes["node1"]
    assert node["status"]["allocatable"] == {
        "cpu": "32", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "8", "rdma/rdma_shared_device_a": "4",
    }  # fmt: skip
    assert node["metadata"]["labels"] == {"kubernetes.io/hostname": "node1"}
    assert not node["spec"].get("taints")


def test_up_again_with_other_machines_adds_changes_and_removes_nodes(lab: Lab) -> None:
    call = kubectl_of(lab)
    call("create", "-f", "-", stdin={"apiVersion": "v1", "kind": "Node", "metadata": {"name": "by-hand"}})
    call("label", "node", "node1", "kept=yes")
    lab.up(machines=[machine(0, accelerator_count=4, rdma_ports=0), machine(1)], containers=False)
    lab.up(machines=[machine(0, accelerator_count=4, rdma_ports=0)], containers=False)
    nodes = {node["metadata"]["name"]: node for node in call("get", "nodes")["items"]}
    assert sorted(nodes) == ["by-hand", "node1"]
    allocatable = nodes["node1"]["status"]["allocatable"]
    assert allocatable["nvidia.com/gpu"] == "4"
    assert "rdma/rdma_shared_device_a" not in allocatable
    assert nodes["node1"]["metadata"]["labels"]["kept"] == "yes"


def test_a_gang_runs_ends_and_fails_only_as_its_annotations_ask(volcano: Lab, kubectl: Kubectl) -> None:
    jobs = [
        vcjob("stays", 3, 8),
        vcjob("ends", 1, 1, {"raceway.dev/run-seconds": "1"}),
        vcjob("fails", 1, 1, {"raceway.dev/run-seconds": "1", "raceway.dev/exit-code": "3"}),
    ]
    kubectl("apply", "-f", "-", stdin=jobs)
    try:
        until(lambda: (phase(kubectl, "ends"), phase(kubectl, "fails")) == ("Completed", "Failed"))
        pods = kubectl("get", "pods", "-l", "volcano.sh/job-name=stays")["items"]
        assert [pod["status"]["phase"] for pod in pods] == ["Running"] * 3
        assert len({pod["spec"]["nodeName"] for pod in pods}) == 3
    finally:
        kubectl("delete", "vcjob", "--all", "--wait=true")


def test_admission_defaults_and_refuses(volcano: Lab, kubectl: Kubectl) -> None:
    job = vcjob("greedy", 1, 1)
    job["spec"]["minAvailable"] = 2
    refused = kubectl("create", "-f", "-", stdin=job, check=False)
    assert refused.returncode != 0
    assert "admission webhook" in refused.stderr
    kubectl("create", "-f", "-", stdin=vcjob("defaulted", 1, 1))
    try:
        assert kubectl("get", "vcjob", "defaulted")["spec"]["queue"] == "default"
    finally:
        kubectl("delete", "vcjob", "defaulted")


def test_the_scheduler_follows_its_config_map(volcano: Lab, kubectl: Kubectl) -> None:
    log = volcano.folder / "logs" / "vc-scheduler.log"
    text = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n'
    name = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "volcano-system"}}
    data = {"volcano-scheduler.conf": text}
    kubectl(
        "apply", "-f", "-", stdin=[namespace, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": name, "data": data}]
    )
    loaded = "actions=[enqueue allocate], plugins=[gang]"
    try:
        until(lambda: loaded in log.read_text().splitlines()[-1] or loaded in log.read_text()[-3000:])
    finally:
        kubectl("delete", "configmap", name["name"], "-n", name["namespace"])
    until(lambda: "preempt" in [line for line in log.read_text().splitlines() if "Finished loading" in line][-1])


def test_a_killed_api_server_comes_back_with_all_it_knew(volcano: Lab, kubectl: Kubectl) -> None:
    before = state(volcano, "kube-apiserver")
    kubectl("create", "namespace", "survives")
    os.kill(before.pid, signal.SIGKILL)
    until(lambda: kubectl("get", "--raw", "/readyz", check=False).returncode == 0)
    after = until(lambda: (now := state(volcano, "kube-apiserver")).state == "healthy" and now)
    assert after.restarts == before.restarts + 1
    kubectl("delete", "namespace", "survives")
    volcano.wait_for_volcano()


def test_a_killed_supervisor_takes_its_programs_along_and_up_continues_with_the_data(lab: Lab) -> None:
    call = kubectl_of(lab)
    call("create", "namespace", "survives")
    os.kill(state(lab, "supervisor").pid, signal.SIGKILL)
    record = lab.record
    assert record
    until(lambda: not processes.of_lab(record.id))
    assert not lab.status().ok
    lab.up(containers=False)
    assert call("get", "namespace", "survives")["metadata"]["name"] == "survives"
    assert lab.status().ok


def test_a_port_taken_while_the_lab_was_down_is_replaced(lab: Lab) -> None:
    record = lab.record
    assert record
    os.kill(state(lab, "supervisor").pid, signal.SIGTERM)
    until(lambda: not processes.of_lab(record.id))
    with socket.create_server(("127.0.0.1", record.ports["kube-apiserver"])):
        lab.up(containers=False)
    again = lab.record
    assert again
    assert again.ports["kube-apiserver"] != record.ports["kube-apiserver"]
    assert lab.status().ok


def test_volcano_waits_for_its_crds_and_says_so(lab: Lab) -> None:
    waiting = state(lab, "vc-scheduler")
    assert (waiting.state, waiting.pid) == ("waiting", 0)
    assert waiting.reason.startswith("waiting for CRDs")
    install_volcano(lab, kubectl_of(lab))
    assert {one.state for one in lab.status().programs} == {"healthy"}


def test_two_control_planes_live_side_by_side_and_down_ends_only_its_own(control_plane: Lab, lab: Lab) -> None:
    first, second = control_plane.record, lab.record
    assert first
    assert second
    assert not set(first.ports.values()) & set(second.ports.values())
    lab.down()
    assert not processes.of_lab(second.id)
    assert not lab.folder.exists()
    assert control_plane.status().ok

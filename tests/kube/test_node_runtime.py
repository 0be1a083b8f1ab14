"""The node half on real kubelets: settings that reach them, limits and CPUs read inside containers, disks, restarts.

It cannot see unlimited locked memory on a host whose nodes may not raise limits: there a container must have all its
runtime has. Nor NUMA nodes and huge pages, which belong to the host of a lab.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from raceway.lab.kube.images import WORK_IMAGE

from .conftest import Cluster, Run, eventually

CONFIG = "/etc/kubernetes/kubelet.conf.d/20-raceway.conf"
CHECKPOINT = "/var/lib/kubelet/cpu_manager_state"
RUNTIME_DATA = "/var/lib/containerd"


@pytest.fixture(scope="module")
def worker(cluster: Cluster) -> Iterator[str]:
    """The last node, which is put back to what the inventory declares."""
    name = cluster.names[-1]
    yield name
    done = cluster.playbook("site.yml", "--limit", name)
    assert done.rc == 0, done.text[-2000:]


def converge(cluster: Cluster, node: str, consent: bool = True, **values: Any) -> Run:
    """Converge one node with some variables changed."""
    given = {f"kubernetes_{name}": value for name, value in values.items()}
    consents = {"kubernetes_allow_disruptive": consent}
    return cluster.playbook("site.yml", "--limit", node, values={**given, **consents})


def start(cluster: Cluster, namespace: str, node: str, name: str, cpus: str = "") -> str:
    """Start a container that sleeps; with whole ``cpus`` it is of the class that may have them alone."""
    amounts = {"cpu": cpus, "memory": "32Mi"}
    resources = {"requests": amounts, "limits": amounts} if cpus else {}
    container = {
        "name": "c",
        "image": WORK_IMAGE,
        "imagePullPolicy": "Never",
        "command": ["sleep", "3600"],
        "resources": resources,
    }
    spec = {"nodeName": node, "terminationGracePeriodSeconds": 0, "containers": [container]}
    metadata = {"name": name, "namespace": namespace}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    cluster.kubectl("-n", namespace, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")
    return name


def inside(cluster: Cluster, namespace: str, pod: str, *words: str) -> str:
    """Run a program in a container; return what it printed."""
    return cluster.kubectl("-n", namespace, "exec", pod, "--", *words).strip()


def configuration(cluster: Cluster, node: str) -> dict[str, Any]:
    """What a running kubelet says of itself."""
    answer = json.loads(cluster.kubectl("get", "--raw", f"/api/v1/nodes/{node}/proxy/configz"))
    return dict(answer["kubeletconfig"])


@pytest.mark.kube
def test_the_settings_of_a_node_are_those_its_running_kubelet_has(cluster: Cluster) -> None:
    for node in cluster.names:
        lines = cluster.read(node, f"cat {CONFIG}").splitlines()
        declared = json.loads("\n".join(line for line in lines if not line.startswith("#")))
        found = configuration(cluster, node)
        wrong = {
            name: found.get(name)
            for name, value in declared.items()
            if name not in ("apiVersion", "kind") and not _holds(found.get(name), value)
        }
        assert declared["maxPods"] == 110 and wrong == {}, node


def _holds(found: Any, declared: Any) -> bool:
    if isinstance(declared, dict):  # maps are merged over the kubelet's own defaults
        return isinstance(found, dict) and declared.items() <= found.items()
    return bool(found == declared)


@pytest.mark.kube
def test_case_x05_a_container_may_lock_what_its_runtime_may(cluster: Cluster, worker: str, namespace: str) -> None:
    limits = "Max locked memory"
    of_runtime = cluster.read(worker, f"grep '{limits}' /proc/$(pidof containerd)/limits").split()
    pod = start(cluster, namespace, worker, "locks")
    within = inside(cluster, namespace, pod, "grep", limits, "/proc/self/limits").split()
    # Read from inside, and not from a login: soft and hard alike.
    assert within[3:5] == of_runtime[3:5]
    asked = cluster.read(worker, "systemctl show -p LimitMEMLOCK containerd.service kubelet.service").split()
    assert asked == ["LimitMEMLOCK=infinity"] * 2
    if cluster.read(worker, "prlimit --memlock=unlimited true && echo may || echo not").strip() == "may":
        assert within[3] == "unlimited"


@pytest.mark.kube
def test_the_runtime_is_restarted_under_running_containers_with_consent_alone_and_they_run_on(
    cluster: Cluster, worker: str, namespace: str
) -> None:
    pod = start(cluster, namespace, worker, "runs-on")
    began = inside(cluster, namespace, pod, "stat", "-c", "%Y", "/proc/1")
    before = cluster.read(worker, "systemctl show -p MainPID containerd.service")
    refused = converge(cluster, worker, consent=False, containerd_cdi=False)
    assert refused.rc != 0 and "kubernetes_allow_disruptive: true to consent" in refused.text
    assert cluster.read(worker, "systemctl show -p MainPID containerd.service") == before
    done = converge(cluster, worker, containerd_cdi=False)
    assert done.rc == 0, done.text[-2000:]
    assert cluster.read(worker, "systemctl show -p MainPID containerd.service") != before
    assert eventually(lambda: inside(cluster, namespace, pod, "stat", "-c", "%Y", "/proc/1"), "exec works") == began
    (status,) = cluster.get("-n", namespace, "pod", pod)["status"]["containerStatuses"]
    assert status["restartCount"] == 0


@pytest.mark.kube
def test_a_kubelet_that_was_stopped_is_named_by_verify_and_started_again(cluster: Cluster, worker: str) -> None:
    cluster.read(worker, "systemctl stop kubelet.service")
    seen = cluster.playbook("playbooks/verify.yml", "--limit", worker)
    assert seen.rc != 0 and "kubelet.service" in seen.text
    assert converge(cluster, worker).rc == 0
    assert cluster.read(worker, "systemctl is-active kubelet.service").strip() == "active"


@pytest.mark.kube
def test_whole_cpus_are_given_to_one_container_alone(cluster: Cluster, worker: str, namespace: str) -> None:
    done = converge(cluster, worker, cpu_manager_policy="static", reserved_cpus="0")
    assert done.rc == 0, done.text[-2000:]
    assert json.loads(cluster.read(worker, f"cat {CHECKPOINT}"))["policyName"] == "static"
    ask = ("grep", "-h", "Cpus_allowed_list", "/proc/self/status")
    other = start(cluster, namespace, worker, "other")
    alone = start(cluster, namespace, worker, "alone", cpus="1")
    own = inside(cluster, namespace, alone, *ask).split()[1]
    assert own.isdigit() and own != "0", "one CPU, and not the reserved one"
    assert own not in inside(cluster, namespace, other, *ask).split()[1].split(",")
    again = converge(cluster, worker)
    assert again.rc == 0, again.text[-2000:]
    assert json.loads(cluster.read(worker, f"cat {CHECKPOINT}"))["policyName"] == "none"


@pytest.mark.kube
def test_case_x10_without_its_disk_the_runtime_does_not_start_and_nothing_lands_on_the_root(
    cluster: Cluster, worker: str
) -> None:
    disk = {"required_mounts": [RUNTIME_DATA]}
    assert converge(cluster, worker, **disk).rc == 0
    try:
        cluster.read(worker, f"systemctl stop kubelet.service containerd.service\numount --lazy {RUNTIME_DATA}")
        started = cluster.ssh(worker, "systemctl start containerd.service")
        assert started.returncode != 0 and "ssert" in started.stderr
        assert cluster.read(worker, f"ls -A {RUNTIME_DATA}") == ""
        refused = converge(cluster, worker, **disk)
        assert refused.rc != 0 and f"{RUNTIME_DATA}: nothing is mounted there" in refused.text
        assert cluster.read(worker, f"ls -A {RUNTIME_DATA}") == ""
    finally:
        cluster.off(worker)
        cluster.on(worker)
    cluster.kubectl("wait", "--for=condition=Ready", f"node/{worker}", "--timeout=120s", timeout=150)

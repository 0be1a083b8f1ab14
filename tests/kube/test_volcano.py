"""Volcano as pods, laid out by the platform stack, on real kubelets: a gang that trains, loses a worker, and goes on.

It cannot see accelerators or RDMA: devices are allocated by the real kubelet and do not exist, ranks talk over gloo.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raceway.cluster.jobs.torchrun import TorchrunJobArgs, manifests
from raceway.lab.kube.container import SHARED
from raceway.lab.kube.images import DEVICES_IMAGE, TORCH_IMAGE, VOLCANO, WORK_IMAGE
from raceway.stack import Project, up

from .conftest import Cluster, eventually

GPU, GPUS = "nvidia.com/gpu", 8
TEAM, QUEUE = "team-a", "research-pretrain"
SYSTEM = "volcano-system"
SCRIPT = Path(__file__).with_name("train_ddp.py")
# The same numbers whether or not the run was interrupted, but for the order in which sums are made.
TOLERANCE = 1e-5


def device_plugin() -> dict[str, Any]:
    """A DaemonSet that gives every worker pretend accelerators; a file on a node makes one of them unhealthy."""
    labels = {"app": "lab-devices"}
    sockets = "/var/lib/kubelet/device-plugins"
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "lab-devices", "namespace": "kube-system"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [
                        {
                            "name": "plugin",
                            "image": DEVICES_IMAGE,
                            "imagePullPolicy": "Never",
                            "args": [GPU, str(GPUS), "/unhealthy"],
                            "volumeMounts": [
                                {"name": "sockets", "mountPath": sockets},
                                {"name": "unhealthy", "mountPath": "/unhealthy"},
                            ],
                        }
                    ],
                    "volumes": [
                        {"name": "sockets", "hostPath": {"path": sockets}},
                        {"name": "unhealthy", "hostPath": {"path": "/run/lab-devices", "type": "DirectoryOrCreate"}},
                    ],
                },
            },
        },
    }


@pytest.fixture(scope="module")
def volcano(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The cluster with devices and, by the stack, with Volcano on it; both stay for the files that come after."""
    cluster.apply(device_plugin())
    folder = tmp_path_factory.mktemp("stack")
    hosts = json.loads(cluster.lab.inventory_path.read_text())["_meta"]["hostvars"]
    listed = {"nodes": {"hosts": {name: own for name, own in hosts.items() if own["kubernetes_node_role"] == "worker"}}}
    (folder / "hosts.json").write_text(json.dumps(listed))
    settings = {"inventory": str(folder / "hosts.json"), "volcano": {"mode": "install", "replicas": 1}}
    up(Project("platform", "lab", cluster.kubeconfig, settings, folder / "pulumi"), show=False)
    cluster.kubectl("-n", SYSTEM, "rollout", "status", "deployment", "--timeout=180s", timeout=200)
    return cluster


@pytest.fixture
def checkpoints(volcano: Cluster) -> Iterator[Path]:
    """A claim of the job's own on the folder all nodes share; its place on this machine."""
    place = volcano.lab.folder / "shared" / "checkpoints"
    place.mkdir(parents=True)
    place.chmod(0o777)
    size = {"storage": "1Gi"}
    common = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    volume = {"capacity": size, "hostPath": {"path": f"{SHARED}/checkpoints"}, **common}
    claim = {"resources": {"requests": size}, "volumeName": "checkpoints", **common}
    objects: list[tuple[str, dict[str, str], dict[str, Any]]] = [
        ("PersistentVolume", {}, volume),
        ("PersistentVolumeClaim", {"namespace": TEAM}, claim),
    ]
    for kind, where, spec in objects:
        meta = {"name": "checkpoints", **where}
        volcano.apply({"apiVersion": "v1", "kind": kind, "metadata": meta, "spec": spec})
    yield place
    volcano.kubectl("-n", TEAM, "delete", "vcjob", "--all", "--wait=true")
    volcano.kubectl("-n", TEAM, "delete", "pvc", "checkpoints", "--wait=true")
    volcano.kubectl("delete", "pv", "checkpoints", "--wait=true")
    subprocess.run(["rm", "-rf", str(place)], check=True)


def submit(cluster: Cluster, name: str, pause: float, claim: str = "checkpoints", gpus: int = 1) -> None:
    """A job of two pods, as the product's template makes it, with a script that runs on processors."""
    args = TorchrunJobArgs(
        name=name,
        namespace=TEAM,
        queue=QUEUE,
        image=TORCH_IMAGE,
        nodes=2,
        accelerators_per_node=gpus,
        cpus=1,
        memory_gib=2,
        shm_gib=1,
        priority_class="train-normal",
        script=SCRIPT.read_text(),
        script_args=(str(pause),),
        checkpoint_claim=claim,
        grace_seconds=5,
        env={"OMP_NUM_THREADS": "1"},
    )
    cluster.apply(*manifests(args))


def phase(cluster: Cluster, name: str) -> str:
    """The job's phase as Volcano tells it."""
    return str(cluster.get("vcjob", name, "-n", TEAM)["status"]["state"]["phase"])


def events(cluster: Cluster, pod: str) -> list[dict[str, Any]]:
    """The lines of JSON a pod has printed."""
    lines = cluster.kubectl("-n", TEAM, "logs", pod).splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def finish(cluster: Cluster, name: str) -> dict[str, Any]:
    """Wait for the job's end; what rank 0 said last."""
    try:
        eventually(lambda: phase(cluster, name) == "Completed", f"{name} completes", 240)
    except AssertionError:
        print(cluster.kubectl("-n", TEAM, "get", "vcjob,podgroup,pods", "-o", "wide"))
        print(cluster.kubectl_run("-n", TEAM, "logs", f"{name}-worker-0", "--tail=40").stdout)
        print(cluster.kubectl_run("-n", TEAM, "describe", "pods").stdout[-4000:])
        raise
    return events(cluster, f"{name}-worker-0")[-1]


def test_volcano_runs_as_pods_from_images_of_its_own_names(volcano: Cluster) -> None:
    pods = volcano.get("pods", "-n", SYSTEM, "--field-selector=status.phase=Running")["items"]
    found = {container["image"] for pod in pods for container in pod["spec"]["containers"]}
    programs = ("vc-controller-manager", "vc-scheduler", "vc-webhook-manager")
    assert found == {f"docker.io/volcanosh/{program}:{VOLCANO}" for program in programs}


def test_its_webhook_judges_jobs_in_this_cluster(volcano: Cluster) -> None:
    container = {"name": "c", "image": TORCH_IMAGE, "command": ["true"]}
    task = {"name": "t", "replicas": 1, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "greedy", "namespace": TEAM},
        "spec": {"minAvailable": 5, "queue": QUEUE, "tasks": [task]},
    }
    refused = volcano.kubectl_run("apply", "-f", "-", input=json.dumps(job))
    assert refused.returncode != 0
    assert "minAvailable" in refused.stderr


def test_every_worker_has_accelerators_and_says_when_one_of_them_is_ill(volcano: Cluster) -> None:
    def allocatable() -> dict[str, str]:
        nodes = volcano.get("nodes")["items"]
        return {node["metadata"]["name"]: node["status"]["allocatable"].get(GPU, "0") for node in nodes}

    control, first, second = volcano.names
    well = {control: "0", first: str(GPUS), second: str(GPUS)}
    eventually(lambda: allocatable() == well, "devices are registered")
    volcano.read(first, "touch /run/lab-devices/3")
    eventually(lambda: allocatable() == {**well, first: str(GPUS - 1)}, "one device less")
    volcano.read(first, "rm /run/lab-devices/3")
    eventually(lambda: allocatable() == well, "the device is back")


def test_two_workers_train_to_completion_and_one_that_is_killed_goes_on_from_its_checkpoint(
    volcano: Cluster, checkpoints: Path
) -> None:
    submit(volcano, "undisturbed", 0.0)
    undisturbed = finish(volcano, "undisturbed")
    assert (undisturbed["step"], undisturbed["equal"]) == (120, True)
    pods = volcano.get("pods", "-n", TEAM, "-l", "volcano.sh/job-name=undisturbed")["items"]
    assert len({pod["spec"]["nodeName"] for pod in pods}) == 2
    losses = [row["loss"] for row in events(volcano, "undisturbed-worker-0") if row["event"] == "step"]
    assert losses[-1] < losses[0] / 5
    (checkpoints / "checkpoint.pt").unlink()

    submit(volcano, "disturbed", 0.1)

    def saved() -> bool:
        return any(row.get("step", 0) >= 30 for row in events(volcano, "disturbed-worker-0"))

    eventually(saved, "the disturbed job has saved")
    assert {row["world"] for row in events(volcano, "disturbed-worker-1") if row["event"] == "start"} == {2}
    volcano.kubectl("-n", TEAM, "exec", "disturbed-worker-1", "--", "pkill", "-9", "-f", "train.py")
    eventually(lambda: volcano.get("vcjob", "disturbed", "-n", TEAM)["status"].get("retryCount", 0) >= 1, "a restart")
    disturbed = finish(volcano, "disturbed")
    start = events(volcano, "disturbed-worker-0")[0]
    assert (start["event"], start["step"] % 10) == ("start", 0)
    assert start["step"] >= 30
    assert abs(disturbed["norm"] - undisturbed["norm"]) < TOLERANCE * undisturbed["norm"]


def holder(name: str, devices: int) -> dict[str, Any]:
    """A gang of two pods that does nothing but hold devices."""
    amounts = {"cpu": "100m", "memory": "32Mi", GPU: str(devices)}
    container = {
        "name": "c",
        "image": WORK_IMAGE,
        "command": ["sleep", "600"],
        "resources": {"requests": amounts, "limits": amounts},
    }
    pod = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container]}
    task = {"name": "holder", "replicas": 2, "template": {"spec": pod}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TEAM},
        "spec": {"schedulerName": "volcano", "queue": QUEUE, "minAvailable": 2, "tasks": [task]},
    }


def test_a_gang_that_wants_more_devices_than_there_are_waits_as_a_whole_and_gets_them_when_they_are_free(
    volcano: Cluster,
) -> None:
    def placed(name: str) -> int:
        pods = volcano.get("pods", "-n", TEAM, "-l", f"volcano.sh/job-name={name}")["items"]
        return len([pod for pod in pods if pod["status"].get("phase") == "Running"])

    def reason() -> str:
        groups = volcano.get("podgroup", "-n", TEAM)["items"]
        one = next(group for group in groups if group["metadata"]["name"].startswith("waits"))
        return " ".join(str(row.get("message")) for row in one["status"].get("conditions", []))

    volcano.apply(holder("holds", 5))
    try:
        eventually(lambda: placed("holds") == 2, "the first gang runs")
        volcano.apply(holder("waits", 5))
        eventually(lambda: f"Insufficient {GPU}" in reason(), "the reason is told")
        assert placed("waits") == 0
        volcano.kubectl("-n", TEAM, "delete", "vcjob", "holds")
        eventually(lambda: placed("waits") == 2, "the second gang runs")
    finally:
        volcano.kubectl("-n", TEAM, "delete", "vcjob", "--all", "--wait=true")


def test_a_node_that_loses_power_in_the_middle_of_a_training_costs_the_steps_since_the_last_checkpoint(
    volcano: Cluster, checkpoints: Path
) -> None:
    submit(volcano, "calm", 0.0)
    calm = finish(volcano, "calm")
    (checkpoints / "checkpoint.pt").unlink()
    submit(volcano, "stormy", 0.1)
    eventually(lambda: any(row["step"] >= 30 for row in events(volcano, "stormy-worker-0")), "it has saved")
    # Not the node of Volcano's only controller: pods that fail while no controller looks are failed and no event, and
    # no policy restarts their job. (That is what its second replica is for; two of each do not fit into this lab.)
    pods = volcano.get("pods", "-n", TEAM, "-l", "volcano.sh/job-name=stormy")["items"]
    [controller] = volcano.get("pods", "-n", SYSTEM, "-l", "app=volcano-controller")["items"]
    nodes = {pod["spec"]["nodeName"] for pod in pods}
    assert len(nodes) == 2
    [node] = nodes - {controller["spec"]["nodeName"]}
    volcano.off(node)
    volcano.on(node)
    end = finish(volcano, "stormy")
    assert events(volcano, "stormy-worker-0")[0]["step"] >= 30
    assert abs(end["norm"] - calm["norm"]) < TOLERANCE * calm["norm"]
    volcano.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s", timeout=150)


def test_the_control_plane_comes_back_after_a_power_cut_and_pods_do_not_notice(
    volcano: Cluster, checkpoints: Path
) -> None:
    def started() -> set[str]:
        pods = volcano.get("pods", "-n", TEAM, "-l", "volcano.sh/job-name=steady")["items"]
        return {pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] for pod in pods}

    submit(volcano, "steady", 2.0)
    eventually(lambda: phase(volcano, "steady") == "Running", "the job runs", 120)
    before, control = eventually(started, "containers run"), volcano.names[0]
    volcano.off(control)
    assert volcano.kubectl_run("get", "nodes", "--request-timeout=3s").returncode != 0
    volcano.on(control)
    eventually(lambda: volcano.kubectl_run("get", "--raw", "/readyz").returncode == 0, "the API is ready", 90)
    volcano.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s", timeout=150)
    assert started() == before
    # Volcano's programs lost their leases meanwhile; jobs that come now are placed all the same.
    volcano.kubectl("-n", SYSTEM, "rollout", "status", "deployment", "--timeout=180s", timeout=200)
    volcano.kubectl("-n", TEAM, "delete", "vcjob", "steady")
    (checkpoints / "checkpoint.pt").unlink(missing_ok=True)
    submit(volcano, "afterwards", 0.0)
    assert finish(volcano, "afterwards")["step"] == 120


def test_each_pod_has_the_rank_and_the_devices_it_was_promised(volcano: Cluster, checkpoints: Path) -> None:
    submit(volcano, "wired", 1.0)
    eventually(lambda: phase(volcano, "wired") == "Running", "the job runs", 120)
    for index in (0, 1):
        words = volcano.kubectl("-n", TEAM, "exec", f"wired-worker-{index}", "--", "env").splitlines()
        env = dict(word.split("=", 1) for word in words if "=" in word)
        assert (env["VC_TASK_INDEX"], env["WORLD_SIZE"]) == (str(index), "2")
        assert env["MASTER_ADDR"] == "wired-worker-0.wired"
        assert len(env["RACEWAY_DEVICES"].split(",")) == 1

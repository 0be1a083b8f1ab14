"""The torchrun template: what it makes passes its own lint, and bad arguments are refused with the key."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.cluster.jobs.lint import lint
from raceway.cluster.jobs.torchrun import TorchrunJobArgs, environment, launch_line, manifests, names
from raceway.cluster.queues import Queue
from raceway.errors import RacewayError


def make_args(**changes: Any) -> TorchrunJobArgs:
    base = {"name": "fsdp", "namespace": "team", "queue": "q", "image": "r/x:1", "nodes": 4, "accelerators_per_node": 8}
    return TorchrunJobArgs(**{**base, **changes})


def job_of(**changes: Any) -> dict[str, Any]:
    return manifests(make_args(**changes))[-1]


def container_of(**changes: Any) -> dict[str, Any]:
    box: dict[str, Any] = job_of(**changes)["spec"]["tasks"][0]["template"]["spec"]["containers"][0]
    return box


@pytest.mark.parametrize(
    "changes", [{}, {"nodes": 1}, {"leaf_nodes": 2}, {"rdma_resource": "rdma/a", "rdma_count": 1}, {"script": "x = 1"}]
)
def test_every_variant_passes_the_lint(changes: dict[str, Any]) -> None:
    assert lint(job_of(**changes), (Queue("q"),)) == []


def test_the_whole_job_is_one_gang_of_all_nodes() -> None:
    spec = job_of()["spec"]
    assert (spec["minAvailable"], spec["tasks"][0]["minAvailable"], spec["tasks"][0]["replicas"]) == (4, 4, 4)
    assert spec["schedulerName"] == "volcano" and spec["queue"] == "q" and spec["maxRetry"] == 10


def test_lost_and_evicted_pods_restart_the_job_and_no_finished_pod_ends_the_others() -> None:
    policies = job_of()["spec"]["policies"]
    assert policies == [{"event": "PodEvicted", "action": "RestartJob"}, {"event": "PodFailed", "action": "RestartJob"}]


def test_requests_equal_limits_and_shared_memory_is_memory() -> None:
    box = container_of(shm_gib=16)
    assert box["resources"]["requests"] == box["resources"]["limits"]
    assert box["resources"]["limits"]["nvidia.com/gpu"] == "8"
    volumes = job_of(shm_gib=16)["spec"]["tasks"][0]["template"]["spec"]["volumes"]
    assert volumes[0] == {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}


def test_rdma_brings_its_resource_and_the_right_to_pin_memory() -> None:
    box = container_of(rdma_resource="rdma/a", rdma_count=2)
    assert box["resources"]["limits"]["rdma/a"] == "2"
    assert box["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert "securityContext" not in container_of()


def test_torchrun_gets_nodes_and_rank_and_receives_signals() -> None:
    line = launch_line(make_args(script="x", script_args=("--steps", "a b")))
    assert line == (
        'export RANK="$VC_TASK_INDEX"; exec torchrun --nnodes="$WORLD_SIZE" --node_rank="$RANK" --nproc_per_node=8 '
        '--master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" /opt/raceway/job/train.py --steps \'a b\''
    )


def test_the_master_is_pod_0_by_its_service_name() -> None:
    assert environment(make_args())["MASTER_ADDR"] == "fsdp-worker-0.fsdp"
    assert names(make_args())["first_pod"] == "fsdp-worker-0"


def test_nccl_looks_for_infiniband_only_where_rdma_is_declared() -> None:
    assert environment(make_args())["NCCL_IB_DISABLE"] == "1"
    assert "NCCL_IB_DISABLE" not in environment(make_args(rdma_resource="rdma/a", rdma_count=1))
    assert "NCCL_IB_DISABLE" not in environment(make_args(accelerators_per_node=0))
    assert environment(make_args(nccl_env={"NCCL_IB_DISABLE": "0"}))["NCCL_IB_DISABLE"] == "0"


def test_leaf_nodes_keep_groups_under_one_leaf() -> None:
    policy = job_of(leaf_nodes=2)["spec"]["tasks"][0]["partitionPolicy"]
    assert (policy["totalPartitions"], policy["partitionSize"], policy["minPartitions"]) == (2, 2, 2)
    assert policy["networkTopology"] == {"mode": "hard", "highestTierAllowed": 1}


def test_topology_retry_ttl_priority_and_grace_stand_where_volcano_reads_them() -> None:
    job = job_of(
        topology_mode="hard", topology_highest_tier=2, ttl_seconds=60, priority_class="high", grace_seconds=300
    )
    spec = job["spec"]
    assert spec["networkTopology"] == {"mode": "hard", "highestTierAllowed": 2}
    assert (spec["ttlSecondsAfterFinished"], spec["priorityClassName"]) == (60, "high")
    assert spec["tasks"][0]["template"]["spec"]["terminationGracePeriodSeconds"] == 300
    assert "ttlSecondsAfterFinished" not in job_of()["spec"]


def test_the_script_comes_as_a_configmap_before_the_job() -> None:
    script, job = manifests(make_args(script="print(1)"))
    assert script["data"] == {"train.py": "print(1)"} and script["metadata"]["name"] == "fsdp-script"
    assert job["kind"] == "Job" and len(manifests(make_args())) == 1


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"image": "r/x"}, "image"),
        ({"image": "r/x:latest"}, "image"),
        ({"image": "host:5000/x"}, "image"),
        ({"nodes": 0}, "nodes"),
        ({"shm_gib": 64}, "shm_gib"),
        ({"rdma_count": 1}, "rdma_resource (none), rdma_count 1"),
        ({"leaf_nodes": 3}, "leaf_nodes"),
        ({"topology_mode": "firm"}, "topology_mode"),
        ({"topology_highest_tier": 1}, "topology_highest_tier"),
        ({"master_port": 80}, "master_port"),
        ({"name": "Fsdp"}, "name"),
    ],
)
def test_a_bad_argument_is_refused_by_name(changes: dict[str, Any], place: str) -> None:
    with pytest.raises(RacewayError, match=place.replace("(", r"\(").replace(")", r"\)")):
        make_args(**changes)


@pytest.mark.parametrize("image", ["x:1", "host:5000/a/b:v2.1", "x@sha256:" + "0" * 64, "h:1/x:t@sha256:" + "a" * 64])
def test_an_image_with_a_version_is_accepted(image: str) -> None:
    assert make_args(image=image).image == image

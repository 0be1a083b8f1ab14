"""The model: where inventory and stack meet, and what is refused when they disagree."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.cluster.config import JobConfig, PlatformConfig, TopologyConfig
from raceway.cluster.jobs.torchrun import TorchrunJobArgs
from raceway.cluster.model import ClusterModel
from raceway.cluster.queues import Queue
from raceway.cluster.scheduler import Plugin, SchedulerConf
from raceway.cluster.tenancy import Namespace, PriorityClass
from raceway.errors import RacewayError
from raceway.model.machine import Machine

GPU = "nvidia.com/gpu"


def make_machines(count: int = 4) -> list[Machine]:
    base = Machine("", cpus=32, memory_gib=256, accelerator_kind="nvidia", accelerator_count=8, spine="pod-1")
    return [dataclasses.replace(base, name=f"gpu-{n}", leaf=f"leaf-{n % 2}") for n in range(count)]


def make_config(**changes: Any) -> PlatformConfig:
    base = PlatformConfig(
        namespaces=(Namespace("team"),),
        priorities=(PriorityClass("high", 10),),
        queues=(Queue("q", capability={GPU: "32"}),),
    )
    return dataclasses.replace(base, **changes)


def make_job(expect: str = "running", **changes: Any) -> JobConfig:
    base = {"name": "j", "namespace": "team", "queue": "q", "image": "x:1", "nodes": 4, "accelerators_per_node": 8}
    return JobConfig(TorchrunJobArgs(**{**base, **changes}), expect)


def refusal(*jobs: JobConfig, **changes: Any) -> str:
    with pytest.raises(RacewayError) as caught:
        ClusterModel.build(make_machines(), make_config(**changes)).jobs(jobs)
    return caught.value.message()


def test_machines_give_labels_topology_and_the_scheduler_their_accelerators() -> None:
    model = ClusterModel.build(make_machines(12)[::-1], make_config())
    assert [patch["metadata"]["name"] for patch in model.node_patches()][:3] == ["gpu-0", "gpu-1", "gpu-2"]
    assert [one["metadata"]["name"] for one in model.topology()] == ["leaf-0", "leaf-1", "spine-pod-1", "fabric"]
    assert 'binpack.resources: "nvidia.com/gpu"' in model.scheduler_text()


def test_the_same_declaration_always_gives_the_same_manifests() -> None:
    one, two = (ClusterModel.build(machines, make_config()) for machines in (make_machines(), make_machines()[::-1]))
    assert (one.topology(), one.node_patches(), one.queues()) == (two.topology(), two.node_patches(), two.queues())


def test_labels_and_taints_are_only_there_when_wanted() -> None:
    machines = [dataclasses.replace(one, taints=("a=b:NoSchedule",)) for one in make_machines(1)]
    model = ClusterModel.build(machines, make_config(node_labels=False, node_taints=True))
    assert model.node_patches() == [] and len(model.taint_patches()) == 1
    assert ClusterModel.build(machines, make_config()).taint_patches() == []


def test_hypernodes_without_the_plugin_that_reads_them_are_refused() -> None:
    conf = SchedulerConf(("allocate",), ((Plugin("gang"),),))
    assert "HyperNodes but no network-topology-aware" in refusal(scheduler=conf)
    ClusterModel.build(make_machines(), make_config(scheduler=conf, topology=TopologyConfig("none")))


def test_a_queue_tree_is_held_against_the_declared_scheduler() -> None:
    conf = SchedulerConf(("allocate",), ((Plugin("proportion"), Plugin("network-topology-aware")),))
    assert "queues have parents" in refusal(scheduler=conf, queues=(Queue("p"), Queue("q", parent="p")))


def test_everything_wrong_is_told_at_once() -> None:
    text = refusal(queues=(Queue("default"),), priorities=(PriorityClass("system-x", 1),))
    assert "cluster layout: 2 problems" in text


def test_a_job_that_fits_is_returned() -> None:
    model = ClusterModel.build(make_machines(), make_config())
    assert model.jobs([make_job(priority_class="high")])[0].args.name == "j"


def test_a_job_larger_than_the_machines_is_refused_unless_it_is_declared_to_wait() -> None:
    queues = (Queue("q"),)
    assert "the declared machines hold 4" in refusal(make_job(nodes=5), queues=queues)
    ClusterModel.build(make_machines(), make_config(queues=queues)).jobs([make_job("pending", nodes=5)])


def test_a_job_above_its_queue_is_refused_even_when_it_is_declared_to_wait() -> None:
    assert "the gang of 5 needs 40 nvidia.com/gpu" in refusal(make_job("pending", nodes=5))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"namespace": "taem"}, "did you mean team?"),
        ({"priority_class": "hihg"}, "did you mean high?"),
        ({"queue": "x"}, "x is not declared"),
        ({"rdma_resource": "rdma/a", "rdma_count": 1}, "enforces baseline"),
    ],
)
def test_a_job_that_names_what_the_platform_lacks_is_refused(changes: dict[str, Any], what: str) -> None:
    assert what in refusal(make_job(**changes))


def test_a_job_declared_twice_is_refused() -> None:
    assert "declared twice" in refusal(make_job(nodes=1), make_job(nodes=1))

"""Priorities on the real scheduler, with the configuration that raceway ships and kwok's accelerators."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from raceway.stack import destroy, up

from .platform_lab import GPU, PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
TEAM = "priority-test"
SETTLE_S = 4


def make_job(name: str, pods: int, gpus: int, priority: str, queue: str = "train") -> dict[str, Any]:
    amounts = {"cpu": "1", GPU: str(gpus)}
    box = {"name": "c", "image": "x:1", "resources": {"requests": amounts, "limits": amounts}}
    task = {
        "name": "w",
        "replicas": pods,
        "minAvailable": pods,
        "template": {"spec": {"restartPolicy": "Never", "containers": [box]}},
    }
    restart = [{"event": event, "action": "RestartJob"} for event in ("PodEvicted", "PodFailed")]
    spec = {"schedulerName": "volcano", "queue": queue, "minAvailable": pods, "maxRetry": 20, "policies": restart}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TEAM},
        "spec": {**spec, "priorityClassName": priority, "tasks": [task]},
    }


@pytest.fixture(scope="module")
def platform() -> Iterator[PlatformLab]:
    lab = shared()
    lab.up(make_machines(1, gpus=10))
    layout = {
        "namespaces": [{"name": TEAM}],
        "priorities": [{"name": f"p{value}", "value": value} for value in (1, 2, 3)],
        "queues": [{"name": "train"}, *({"name": name, "deserved": {GPU: "5"}} for name in ("left", "right"))],
    }
    project = lab.project("platform", **layout)
    up(project, show=False)
    yield lab
    destroy(project, show=False)


@pytest.fixture
def lab(platform: PlatformLab) -> Iterator[PlatformLab]:
    yield platform
    platform.kubectl("delete", "vcjob", "--all", "-n", TEAM)
    platform.wait("pods gone", lambda: not platform.get("pods", "-n", TEAM))


def placed(lab: PlatformLab) -> Counter[str]:
    """Return job → pods that run on a node.

    Pods are counted, not ``status.running`` of the job: Volcano 1.15 was seen to leave that of a preempted job as it
    was (volcano#2884).
    """
    pods = lab.get("pods", "-n", TEAM)
    alive = [pod for pod in pods if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Running"]
    going = [pod for pod in alive if "deletionTimestamp" not in pod["metadata"]]
    return Counter(pod["metadata"]["labels"]["volcano.sh/job-name"] for pod in going)


def running(lab: PlatformLab, **pods: int) -> None:
    """Wait until each job runs with so many pods; a count of 0 means: it does not run."""

    def holds() -> bool:
        found = placed(lab)
        return all(found[name] == count for name, count in pods.items())

    lab.wait(f"{pods}", holds, 90)


def stays(lab: PlatformLab, **pods: int) -> None:
    """Wait as above, and see that it is still so some scheduling rounds later."""
    running(lab, **pods)
    time.sleep(SETTLE_S)
    running(lab, **pods)


def test_ten_accelerators_go_to_the_two_first_of_five_four_three(lab: PlatformLab) -> None:
    lab.up(make_machines(1, gpus=10))
    lab.apply(make_job("three", 1, 3, "p1"), make_job("four", 1, 4, "p2"), make_job("five", 1, 5, "p3"))
    stays(lab, five=1, four=1, three=0)
    (group,) = [one for one in lab.get("podgroup", "-n", TEAM) if one["metadata"]["name"].startswith("three")]
    assert "1 Insufficient nvidia.com/gpu" in group["status"]["conditions"][0]["message"]


def test_the_lowest_started_first_gives_way_to_the_highest(lab: PlatformLab) -> None:
    lab.up(make_machines(1, gpus=10))
    lab.apply(make_job("three", 1, 3, "p1"), make_job("four", 1, 4, "p2"))
    running(lab, three=1, four=1)
    lab.apply(make_job("five", 1, 5, "p3"))
    stays(lab, five=1, four=1, three=0)


def test_of_hundred_accelerators_the_high_job_takes_eighty_and_the_low_ones_wait(lab: PlatformLab) -> None:
    lab.up(make_machines(10, gpus=10))
    lab.apply(make_job("high", 80, 1, "p3"))
    running(lab, high=80)
    lab.apply(make_job("low-a", 30, 1, "p1"), make_job("low-b", 30, 1, "p1"))
    stays(lab, high=80, **{"low-a": 0, "low-b": 0})


def test_the_high_job_that_arrives_last_gets_its_accelerators_by_preemption(lab: PlatformLab) -> None:
    lab.up(make_machines(10, gpus=10))
    lab.apply(make_job("low-a", 30, 1, "p1"), make_job("low-b", 30, 1, "p1"))
    running(lab, **{"low-a": 30, "low-b": 30})
    lab.apply(make_job("high", 80, 1, "p3"))
    stays(lab, high=80, **{"low-a": 0, "low-b": 0})


def test_a_preempted_gang_starts_again_when_there_is_room(lab: PlatformLab) -> None:
    lab.up(make_machines(10, gpus=10))
    lab.apply(make_job("low-a", 30, 1, "p1"))
    running(lab, **{"low-a": 30})
    lab.apply(make_job("high", 80, 1, "p3"))
    running(lab, high=80, **{"low-a": 0})
    lab.kubectl("delete", "vcjob", "high", "-n", TEAM)
    stays(lab, **{"low-a": 30})


def test_a_queue_gets_its_deserved_share_back_from_gangs_of_another(lab: PlatformLab) -> None:
    lab.up(make_machines(1, gpus=10))
    lab.apply(make_job("left-a", 5, 1, "p1", "left"), make_job("left-b", 5, 1, "p1", "left"))
    running(lab, **{"left-a": 5, "left-b": 5})
    lab.apply(make_job("right", 5, 1, "p1", "right"))
    lab.wait("right runs", lambda: placed(lab)["right"] == 5, 90)
    lab.wait("one gang of left goes on", lambda: sorted(placed(lab)[n] for n in ("left-a", "left-b")) == [0, 5])

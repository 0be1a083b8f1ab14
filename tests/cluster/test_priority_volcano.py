"""Priorities on the real scheduler, with the configuration that raceway ships and kwok's accelerators."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from raceway.stack import up

from .platform_lab import GPU, PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
# A namespace a test: Volcano's controller forgets a deleted job only after a while, and a new job of the same name
# that comes earlier waits without pods (seen with 1.15.1: pod group Inqueue, no pod for 90 s).
TEAMS = [f"priority-{number}" for number in range(1, 7)]
SETTLE_S = 4
FREE = list(TEAMS)


class Team:
    """The cluster as one test sees it: a namespace of its own."""

    def __init__(self, lab: PlatformLab, namespace: str) -> None:
        self.lab = lab
        self.namespace = namespace

    def machines(self, count: int) -> None:
        """Let the cluster have so many machines of ten accelerators."""
        self.lab.up(make_machines(count, gpus=10))

    def submit(self, *jobs: dict[str, Any]) -> None:
        """Create jobs."""
        for job in jobs:
            job["metadata"]["namespace"] = self.namespace
        self.lab.apply(*jobs)

    def get(self, kind: str) -> Any:
        """Return the objects of a kind."""
        return self.lab.get(kind, "-n", self.namespace)

    def delete(self, *words: str) -> None:
        """Delete jobs."""
        self.lab.kubectl("delete", "vcjob", *words, "-n", self.namespace)


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
        "metadata": {"name": name},
        "spec": {**spec, "priorityClassName": priority, "tasks": [task]},
    }


@pytest.fixture(scope="module")
def platform() -> PlatformLab:
    lab = shared()
    lab.up(make_machines(1, gpus=10))
    layout = {
        "namespaces": [{"name": name} for name in TEAMS],
        "priorities": [{"name": f"p{value}", "value": value} for value in (1, 2, 3)],
        "queues": [{"name": "train"}, *({"name": name, "deserved": {GPU: "5"}} for name in ("left", "right"))],
    }
    project = lab.project("platform", **layout)
    up(project, show=False)
    return lab  # it goes as a whole


@pytest.fixture
def team(platform: PlatformLab) -> Iterator[Team]:
    made = Team(platform, FREE.pop(0))
    yield made
    made.delete("--all")
    platform.wait("pods gone", lambda: not made.get("pods"))


def placed(team: Team) -> Counter[str]:
    """Return job → pods that run on a node.

    Pods are counted, not ``status.running`` of the job: Volcano 1.15 was seen to leave that of a preempted job as it
    was (volcano#2884).
    """
    pods = team.get("pods")
    alive = [pod for pod in pods if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Running"]
    going = [pod for pod in alive if "deletionTimestamp" not in pod["metadata"]]
    return Counter(pod["metadata"]["labels"]["volcano.sh/job-name"] for pod in going)


def running(team: Team, **pods: int) -> None:
    """Wait until each job runs with so many pods; a count of 0 means: it does not run."""

    def holds() -> bool:
        found = placed(team)
        return all(found[name] == count for name, count in pods.items())

    team.lab.wait(f"{pods}", holds, 90)


def stays(team: Team, **pods: int) -> None:
    """Wait as above, and see that it is still so some scheduling rounds later."""
    running(team, **pods)
    time.sleep(SETTLE_S)
    running(team, **pods)


def test_ten_accelerators_go_to_the_two_first_of_five_four_three(team: Team) -> None:
    team.machines(1)
    team.submit(make_job("three", 1, 3, "p1"), make_job("four", 1, 4, "p2"), make_job("five", 1, 5, "p3"))
    stays(team, five=1, four=1, three=0)
    (group,) = [one for one in team.get("podgroup") if one["metadata"]["name"].startswith("three")]
    assert "1 Insufficient nvidia.com/gpu" in group["status"]["conditions"][0]["message"]


def test_the_lowest_started_first_gives_way_to_the_highest(team: Team) -> None:
    team.machines(1)
    team.submit(make_job("three", 1, 3, "p1"), make_job("four", 1, 4, "p2"))
    running(team, three=1, four=1)
    team.submit(make_job("five", 1, 5, "p3"))
    stays(team, five=1, four=1, three=0)


def test_of_hundred_accelerators_the_high_job_takes_eighty_and_the_low_ones_wait(team: Team) -> None:
    team.machines(10)
    team.submit(make_job("high", 80, 1, "p3"))
    running(team, high=80)
    team.submit(make_job("low-a", 30, 1, "p1"), make_job("low-b", 30, 1, "p1"))
    stays(team, high=80, **{"low-a": 0, "low-b": 0})


def test_the_high_job_that_arrives_last_gets_its_accelerators_by_preemption(team: Team) -> None:
    team.machines(10)
    team.submit(make_job("low-a", 30, 1, "p1"), make_job("low-b", 30, 1, "p1"))
    running(team, **{"low-a": 30, "low-b": 30})
    team.submit(make_job("high", 80, 1, "p3"))
    stays(team, high=80, **{"low-a": 0, "low-b": 0})


def test_a_preempted_gang_starts_again_when_there_is_room(team: Team) -> None:
    team.machines(10)
    team.submit(make_job("low-a", 30, 1, "p1"))
    running(team, **{"low-a": 30})
    team.submit(make_job("high", 80, 1, "p3"))
    running(team, high=80, **{"low-a": 0})
    team.delete("high")
    stays(team, **{"low-a": 30})


def test_a_queue_gets_its_deserved_share_back_from_gangs_of_another(team: Team) -> None:
    team.machines(1)
    team.submit(make_job("left-a", 5, 1, "p1", "left"), make_job("left-b", 5, 1, "p1", "left"))
    running(team, **{"left-a": 5, "left-b": 5})
    team.submit(make_job("right", 5, 1, "p1", "right"))
    team.lab.wait("right runs", lambda: placed(team)["right"] == 5, 90)
    team.lab.wait("one gang of left goes on", lambda: sorted(placed(team)[n] for n in ("left-a", "left-b")) == [0, 5])

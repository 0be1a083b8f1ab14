"""The workloads stack on real Volcano: a gang runs as a whole, one too big waits as a whole and says why."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from raceway.components.program import stack_file_settings
from raceway.errors import RacewayError
from raceway.stack import Project, destroy, drift, up

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster


@dataclass
class Running:
    """The laid-out platform with the lab's jobs on it."""

    lab: PlatformLab
    project: Project
    before: dict[str, str]


@pytest.fixture(scope="module")
def running() -> Running:
    lab = shared()
    lab.up(make_machines(2))
    platform, workloads = lab.project("platform"), lab.project("workloads")
    up(platform, show=False)
    made = Running(lab, workloads, lab.objects())
    up(workloads, show=False)
    return made  # the lab goes as a whole


def test_the_gang_runs_with_every_pod_bound(running: Running) -> None:
    lab = running.lab
    lab.wait("fsdp-small runs", lambda: lab.phases("team-a")["fsdp-small"] == ("Running", 2))
    pods = lab.get("pods", "-n", "team-a", "-l", "volcano.sh/job-name=fsdp-small")
    assert [pod["metadata"]["name"] for pod in pods] == ["fsdp-small-worker-0", "fsdp-small-worker-1"]
    assert all(pod["spec"].get("nodeName") and pod["status"]["phase"] == "Running" for pod in pods)


def test_every_pod_has_the_variables_torchrun_is_started_with(running: Running) -> None:
    lab = running.lab
    pods = lab.get("pods", "-n", "team-a", "-l", "volcano.sh/job-name=fsdp-small")
    given = [{one["name"]: one.get("value") for one in pod["spec"]["containers"][0]["env"]} for pod in pods]
    assert [one["VC_TASK_INDEX"] for one in given] == ["0", "1"]
    assert {one["MASTER_ADDR"] for one in given} == {"fsdp-small-worker-0.fsdp-small"}
    assert {one["WORLD_SIZE"] for one in given} == {"2"}
    assert lab.get("service", "-n", "team-a", "fsdp-small")["spec"]["clusterIP"] == "None"


def test_a_gang_too_big_waits_as_a_whole_and_says_why(running: Running) -> None:
    lab = running.lab

    def reason() -> str:
        groups = [
            one for one in lab.get("podgroup", "-n", "team-b") if one["metadata"]["name"].startswith("fsdp-too-big")
        ]
        conditions = groups[0].get("status", {}).get("conditions", []) if groups else []
        return next((one["message"] for one in conditions if one["type"] == "Unschedulable"), "")

    message = lab.wait("a reason", reason)
    assert "64 minAvailable" in message and "Insufficient nvidia.com/gpu" in message
    assert lab.phases("team-b")["fsdp-too-big"] == ("Pending", 0)
    assert not [pod for pod in lab.get("pods", "-n", "team-b") if pod["spec"].get("nodeName")]


def test_a_second_up_changes_nothing_and_the_drift_gate_passes(running: Running) -> None:
    done = running.lab.pulumi(running.project, "up", "--yes", "--skip-preview", "--expect-no-changes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert drift(running.project, show=False) == []


def test_a_job_that_somebody_deleted_is_drift_and_comes_back(running: Running) -> None:
    running.lab.kubectl("delete", "vcjob", "fsdp-small", "-n", "team-a")
    assert [one.message() for one in drift(running.project, show=False)] == ["Job team-a/fsdp-small (create)"]
    up(running.project, refresh=True, show=False)
    running.lab.wait("it runs again", lambda: running.lab.phases("team-a")["fsdp-small"] == ("Running", 2))


def test_a_changed_job_replaces_the_old_one(running: Running) -> None:
    lab = running.lab
    jobs = [{**job, "cpus": 5} for job in lab_jobs(lab) if job["name"] == "fsdp-small"]
    before = lab.get("vcjob", "-n", "team-a", "fsdp-small")["metadata"]["uid"]
    up(lab.project("workloads", jobs=jobs), show=False)
    found = lab.get("vcjob", "-n", "team-a", "fsdp-small")
    assert found["metadata"]["uid"] != before
    assert found["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "5"
    up(running.project, show=False)


def test_a_job_the_cluster_cannot_hold_is_refused_before_it_is_sent(running: Running) -> None:
    jobs = [{**job, "expect": "running"} for job in lab_jobs(running.lab)]
    with pytest.raises(RacewayError, match="the declared machines hold 2"):
        up(running.lab.project("workloads", jobs=jobs), show=False)


def test_destroy_leaves_nothing(running: Running) -> None:
    destroy(running.project, show=False)
    running.lab.wait("jobs and what Volcano made for them gone", lambda: running.lab.objects() == running.before, 60)


def lab_jobs(lab: PlatformLab) -> list[dict[str, object]]:
    """Return the jobs of the lab's stack file."""
    read: list[dict[str, object]] = stack_file_settings(lab.project("workloads").stack_file, "raceway-workloads")[
        "jobs"
    ]
    return read

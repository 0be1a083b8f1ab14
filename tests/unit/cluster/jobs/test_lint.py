"""The lint of vcjobs: each reason why a job would be refused, hang or escape its quota."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from raceway.cluster.jobs.gang import with_minimums
from raceway.cluster.jobs.lint import lint, unplaceable
from raceway.cluster.queues import Queue
from raceway.model.machine import Machine

GPU = "nvidia.com/gpu"
RESTART = [{"event": "PodEvicted", "action": "RestartJob"}, {"event": "PodFailed", "action": "RestartJob"}]
QUEUES = (Queue("train", capability={"cpu": "20"}), Queue("tree"), Queue("leaf", parent="tree"))


def make_task(name: str = "worker", replicas: int = 2, resources: Any = None, **fields: Any) -> dict[str, Any]:
    box = {"name": "c", "resources": resources or {"requests": {"cpu": "2"}}}
    return {
        "name": name,
        "replicas": replicas,
        "template": {"spec": {"restartPolicy": "Never", "containers": [box]}},
        **fields,
    }


def make_job(*tasks: dict[str, Any], name: str = "j", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"queue": "train", "policies": RESTART, "tasks": list(tasks), **spec}}


def messages(job: dict[str, Any], queues: tuple[Queue, ...] = QUEUES) -> list[str]:
    return [problem.message() for problem in lint(job, queues)]


def only(job: dict[str, Any]) -> str:
    (message,) = messages(job)
    return message


def test_a_sound_job_has_no_problems() -> None:
    assert messages(make_job(make_task())) == []


def test_b19_the_webhooks_default_minimum_is_above_the_queue_and_told_with_both_numbers() -> None:
    job = make_job(make_task(replicas=12, partitionPolicy={"totalPartitions": 4, "partitionSize": 3}))
    assert only(job) == (
        "job j queue train: the gang of 12 needs 24 cpu; allowed: at most 20 cpu (capability of train); "
        "next: lower replicas or requests, or raise the capability"
    )


def test_b19_the_generated_minimum_of_two_partitions_fits() -> None:
    policy = {"totalPartitions": 4, "partitionSize": 3, "minPartitions": 2}
    assert messages(with_minimums(make_job(make_task(replicas=12, partitionPolicy=policy)))) == []


def test_b19_partitions_that_do_not_make_up_the_replicas_are_refused() -> None:
    assert "totalPartitions 4 × partitionSize 3 = 12, replicas 10" in only(
        make_job(make_task(replicas=10, partitionPolicy={"totalPartitions": 4, "partitionSize": 3}, minAvailable=6))
    )


def test_a_task_minimum_that_contradicts_its_partitions_is_refused() -> None:
    policy = {"totalPartitions": 4, "partitionSize": 1, "minPartitions": 2}
    assert "minPartitions 2 × partitionSize 1 = 2" in only(
        make_job(make_task(replicas=4, partitionPolicy=policy, minAvailable=3))
    )


def test_b21_a_job_minimum_other_than_the_sum_of_the_tasks_is_flagged() -> None:
    job = make_job(make_task("a", 5, minAvailable=4), make_task("b", 3, minAvailable=1), minAvailable=4)
    assert "job j minAvailable: 4, but the tasks' minimums add up to 5" in only(job)


def test_b21_a_job_minimum_above_all_replicas_is_refused() -> None:
    assert "job j minAvailable: 9; allowed: at most 2" in only(make_job(make_task(), minAvailable=9))


def test_b21_a_task_of_no_replicas_is_told_to_go() -> None:
    assert "task none: 0 replicas" in only(make_job(make_task("none", 0, minAvailable=0), make_task()))


def test_an_ancestors_capability_limits_the_gang_too() -> None:
    queues = (Queue("top", capability={"cpu": "3"}), Queue("train", parent="top"))
    assert "capability of top" in messages(make_job(make_task()), queues)[0]


@pytest.mark.parametrize("policy", [None, "Always"])
def test_a_restart_policy_of_always_is_refused(policy: str | None) -> None:
    job = make_job(make_task())
    job["spec"]["tasks"][0]["template"]["spec"]["restartPolicy"] = policy
    assert "set Never" in only(job)


def test_an_accelerator_request_without_an_equal_limit_is_refused() -> None:
    for resources in ({"requests": {GPU: "8"}}, {"requests": {GPU: "4"}, "limits": {GPU: "8"}}):
        assert "request = limit" in only(make_job(make_task(resources=resources)))
    assert messages(make_job(make_task(resources={"limits": {GPU: "8"}}))) == []


def test_half_an_accelerator_is_refused() -> None:
    assert "a whole number" in only(make_job(make_task(resources={"limits": {GPU: "500m"}})))


def test_a_gang_needs_a_policy_for_failed_and_for_evicted_pods() -> None:
    found = messages(make_job(make_task(), policies=[]))
    assert ["nothing for PodFailed" in found[0], "nothing for PodEvicted" in found[1]] == [True, True]
    assert messages(make_job(make_task(replicas=1), policies=[])) == []
    assert messages(make_job(make_task(), policies=[{"event": "*", "action": "RestartJob"}])) == []


@pytest.mark.parametrize(
    "policy",
    [
        {"action": "RestartJob"},
        {"event": "PodFailed", "exitCode": 3, "action": "RestartJob"},
        {"exitCode": 0, "action": "RestartJob"},
        {"event": "PodFail", "action": "RestartJob"},
        {"event": "PodFailed", "action": "Restart"},
    ],
)
def test_a_policy_admission_would_deny_is_refused(policy: dict[str, Any]) -> None:
    assert len(messages(make_job(make_task(), policies=[*RESTART, policy]))) == 1


@pytest.mark.parametrize(
    ("queue", "what"),
    [(None, "outside every quota"), ("tree", "has queues below it"), ("trian", "trian is not declared")],
)
def test_a_job_must_name_a_declared_leaf_queue(queue: str | None, what: str) -> None:
    assert what in only(make_job(make_task(), queue=queue))


def test_a_pod_name_over_63_characters_is_refused() -> None:
    assert "65 characters; allowed: at most 63" in only(
        make_job(make_task("worker", 100), name="a" * 55, minAvailable=100)
    )


def test_names_of_wrong_form_and_a_job_without_tasks_are_refused() -> None:
    assert "name: 'J'" in only(make_job(make_task(), name="J"))
    assert "no tasks" in only(make_job())


def test_a_gang_no_set_of_machines_can_hold_is_told_with_the_slots_there_are() -> None:
    job = make_job(make_task(replicas=3, resources={"limits": {GPU: "8", "cpu": "4"}}))
    machines = [Machine(f"n{i}", cpus=64, accelerator_kind="nvidia", accelerator_count=8) for i in range(2)]
    (problem,) = unplaceable(job, machines)
    assert "3 pods of 4 cpu, 8 nvidia.com/gpu must start together, the declared machines hold 2" in problem.found
    assert unplaceable(job, [*machines, Machine("n2", accelerator_kind="nvidia", accelerator_count=8)]) == []


def test_lint_changes_nothing() -> None:
    job = make_job(make_task("none", 0), make_task())
    before = copy.deepcopy(job)
    lint(job, QUEUES)
    assert job == before

"""Gang arithmetic: minimums and requests, with the numbers of the reports."""

from __future__ import annotations

from typing import Any

from raceway.cluster.jobs.gang import gang_request, job_minimum, pod_request, task_minimum, with_minimums


def make_task(name: str = "w", replicas: int = 1, cpu: str = "2", **fields: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {"name": name, "replicas": replicas, "template": {"spec": {"containers": [container]}}, **fields}


def make_job(*tasks: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "j"}, "spec": {"tasks": list(tasks), **spec}}


PARTITIONED = {"totalPartitions": 4, "partitionSize": 3, "minPartitions": 2}


def test_partitions_give_their_minimum_and_not_all_replicas() -> None:
    job = with_minimums(make_job(make_task(replicas=12, partitionPolicy=PARTITIONED)))
    assert job["spec"]["minAvailable"] == 6 and job["spec"]["tasks"][0]["minAvailable"] == 6
    assert gang_request(job) == {"cpu": 12}


def test_without_a_least_number_of_partitions_all_replicas_are_the_minimum() -> None:
    policy = {"totalPartitions": 4, "partitionSize": 3}
    assert task_minimum(make_task(replicas=12, partitionPolicy=policy)) == 12


def test_a_task_of_no_replicas_is_left_out() -> None:
    job = with_minimums(make_job(make_task("none", 0, minAvailable=0), make_task("w", 2)))
    assert [task["name"] for task in job["spec"]["tasks"]] == ["w"] and job["spec"]["minAvailable"] == 2


def test_the_jobs_minimum_is_the_sum_of_its_tasks() -> None:
    assert job_minimum(make_job(make_task("a", 5, minAvailable=4), make_task("b", 3, minAvailable=1))) == 5


def test_the_original_job_is_not_changed() -> None:
    job = make_job(make_task("none", 0), make_task("w", 2))
    with_minimums(job)
    assert len(job["spec"]["tasks"]) == 2 and "minAvailable" not in job["spec"]


def test_a_pod_asks_for_its_containers_or_its_largest_init_container() -> None:
    def box(cpu: str) -> dict[str, Any]:
        return {"resources": {"requests": {"cpu": cpu}}}

    spec = {"containers": [box("1"), box("500m")], "initContainers": [box("4")], "overhead": {"cpu": "1"}}
    assert pod_request(spec) == {"cpu": 5}


def test_limits_stand_in_for_missing_requests() -> None:
    assert pod_request({"containers": [{"resources": {"limits": {"nvidia.com/gpu": "8"}}}]}) == {"nvidia.com/gpu": 8}


def test_a_smaller_job_minimum_counts_pods_in_task_order() -> None:
    job = make_job(make_task("a", 2, "4"), make_task("b", 2, "1"), minAvailable=3)
    assert gang_request(job) == {"cpu": 9}

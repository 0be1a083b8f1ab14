"""Gang arithmetic of a vcjob: how many pods must start together, and what they need.

Generated jobs always say their minimum, because the webhook's default for a partitioned task without one is *all* its
replicas (volcano#4867). It deliberately works on manifests (dicts), so a job somebody wrote by hand is treated alike.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from raceway.cluster.quantity import add, largest, parse, scale

Manifest = Mapping[str, Any]


def tasks_of(job: Manifest) -> list[Manifest]:
    """Return the tasks of a vcjob."""
    return list(job.get("spec", {}).get("tasks", []))


def task_minimum(task: Manifest) -> int:
    """Return minAvailable of a task as it will be: its own, or whole partitions, or all replicas."""
    if task.get("minAvailable") is not None:
        return int(task["minAvailable"])
    policy = task.get("partitionPolicy") or {}
    if policy.get("minPartitions", 0) > 0:
        return int(policy["minPartitions"]) * int(policy["partitionSize"])
    return int(task.get("replicas", 1))


def job_minimum(job: Manifest) -> int:
    """Return minAvailable of the job as it will be."""
    declared = int(job.get("spec", {}).get("minAvailable") or 0)
    return declared or sum(task_minimum(task) for task in tasks_of(job))


def with_minimums(job: Manifest) -> dict[str, Any]:
    """Return the job with zero-replica tasks left out and every minimum written down.

    A task of no replicas has no entry in the scheduler's gang table, and the whole job never starts (volcano#2171).
    """
    made: dict[str, Any] = copy.deepcopy(dict(job))
    kept = [dict(task) for task in tasks_of(made) if int(task.get("replicas", 1)) > 0]
    for task in kept:
        task["minAvailable"] = task_minimum(task)
    made["spec"]["tasks"] = kept
    made["spec"]["minAvailable"] = job_minimum({"spec": {**made["spec"], "tasks": kept}})
    return made


def pod_request(pod_spec: Manifest) -> dict[str, Fraction]:
    """Return what one pod asks for: sum of containers, or its largest init container; limits stand in for requests."""
    running = add(*(_asked(container) for container in pod_spec.get("containers", [])))
    starting = (_asked(container) for container in pod_spec.get("initContainers", []))
    overhead = {name: parse(value) for name, value in (pod_spec.get("overhead") or {}).items()}
    return add(largest([running, *starting]), overhead)


def _asked(container: Manifest) -> dict[str, Fraction]:
    resources = container.get("resources") or {}
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: parse(value) for name, value in asked.items()}


def gang_request(job: Manifest) -> dict[str, Fraction]:
    """Return what the pods that must start together ask for.

    With a job minimum below the sum of the tasks' minimums the scheduler counts pods in task order, so does this.
    """
    left = job_minimum(job)
    parts = []
    for task in tasks_of(job):
        count = min(task_minimum(task), left)
        left -= count
        parts.append(scale(pod_request(task.get("template", {}).get("spec", {})), count))
    return add(*parts)

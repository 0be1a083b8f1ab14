"""Why this vcjob would be refused, hang, or run outside its quota: told before it is submitted.

Covers what admission denies late and what it lets pass (a restart policy of Always, a gang without failure policies, a
request above the queue). It deliberately reads no cluster: what it knows are the declared queues and machines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from raceway.cluster.jobs.gang import gang_request, job_minimum, pod_request, task_minimum, tasks_of
from raceway.cluster.names import LABEL_MAX_CHARS, check_name
from raceway.cluster.nodes import machine_amounts
from raceway.cluster.problems import Problem
from raceway.cluster.quantity import Amounts, parse, show
from raceway.cluster.queues import Queue, leafs, limit
from raceway.model.machine import Machine

EVENTS = ("PodFailed", "PodEvicted", "PodPending", "TaskCompleted", "TaskFailed", "Unknown", "JobUpdated", "*")
ACTIONS = (
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
)
MULTI_POD = 2


def lint(job: Mapping[str, Any], queues: Sequence[Queue]) -> list[Problem]:
    """Return everything wrong with a vcjob manifest, given the declared queues."""
    name = str(job.get("metadata", {}).get("name", ""))
    place = f"job {name}"
    found = check_name(f"{place} name", name, "label")
    tasks = tasks_of(job)
    if not tasks:
        return [*found, Problem(place, "no tasks", "at least one task", "add a task with replicas")]
    for task in tasks:
        found += _check_task(place, name, task)
    found += _check_minimums(place, job) + _check_policies(place, job) + _check_queue_name(place, job, queues)
    if not found:
        found += _check_queue_room(place, job, queues)
    return found


def _check_task(place: str, job_name: str, task: Mapping[str, Any]) -> list[Problem]:
    name, replicas = str(task.get("name", "")), int(task.get("replicas", 1))
    here = f"{place} task {name or '(unnamed)'}"
    found = check_name(f"{here} name", name, "label")
    if replicas == 0:
        return [*found, Problem(here, "0 replicas", "1 or more", "leave the task out: with it the gang never starts")]
    longest = f"{job_name}-{name}-{replicas - 1}"
    if len(longest) > LABEL_MAX_CHARS:
        text = f"pod name {longest} has {len(longest)} characters"
        found.append(Problem(here, text, f"at most {LABEL_MAX_CHARS}", "shorten the job or task name"))
    if task_minimum(task) > replicas:
        text = f"minAvailable {task_minimum(task)} of {replicas} replicas"
        found.append(Problem(here, text, f"at most {replicas}", "lower minAvailable"))
    spec = task.get("template", {}).get("spec", {})
    if spec.get("restartPolicy") not in ("Never", "OnFailure"):
        text = f"restartPolicy {spec.get('restartPolicy', 'absent (means Always)')}"
        act = "set Never: a finished trainer would start again, and failures would stay hidden"
        found.append(Problem(here, text, "Never (OnFailure hides failures from Volcano)", act))
    for container in spec.get("containers", []):
        found += _check_container(here, container)
    return found + _check_partitions(here, task, replicas)


def _check_container(place: str, container: Mapping[str, Any]) -> list[Problem]:
    resources = container.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    here = f"{place} container {container.get('name', '')}"
    found: list[Problem] = []
    for name in sorted({*requests, *limits}):
        if "/" not in name:
            continue
        request, upper = requests.get(name, limits.get(name)), limits.get(name)
        if upper is None or request is None or parse(request) != parse(upper):
            text = f"{name}: request {requests.get(name, 'absent')}, limit {upper if upper is not None else 'absent'}"
            act = "set both to the same whole number"
            found.append(Problem(here, text, "request = limit (extended resources are not overcommitted)", act))
        elif parse(upper).denominator != 1:
            found.append(Problem(here, f"{name}: {upper}", "a whole number", "correct the number"))
    return found


def _check_partitions(place: str, task: Mapping[str, Any], replicas: int) -> list[Problem]:
    policy = task.get("partitionPolicy")
    if not policy:
        return []
    total, size = int(policy.get("totalPartitions", 0)), int(policy.get("partitionSize", 0))
    least = int(policy.get("minPartitions", 0))
    if total <= 0 or size <= 0:
        return [
            Problem(place, f"partitions {total} × {size}", "both 1 or more", "set totalPartitions and partitionSize")
        ]
    found: list[Problem] = []
    if total * size != replicas:
        text = f"totalPartitions {total} × partitionSize {size} = {total * size}, replicas {replicas}"
        found.append(Problem(place, text, "the same number", "make the product equal to replicas"))
    if least > total:
        found.append(Problem(place, f"minPartitions {least} of {total}", f"at most {total}", "lower minPartitions"))
    if least and task.get("minAvailable") is not None and int(task["minAvailable"]) != least * size:
        text = f"minAvailable {task['minAvailable']}, minPartitions {least} × partitionSize {size} = {least * size}"
        found.append(Problem(place, text, "the same number", f"set minAvailable to {least * size}, or leave it out"))
    return found


def _check_minimums(place: str, job: Mapping[str, Any]) -> list[Problem]:
    tasks = tasks_of(job)
    replicas = sum(int(task.get("replicas", 1)) for task in tasks)
    minimums = sum(task_minimum(task) for task in tasks)
    declared = job_minimum(job)
    here = f"{place} minAvailable"
    if declared > replicas:
        return [Problem(here, str(declared), f"at most {replicas} (all replicas)", "lower it")]
    if declared != minimums:
        text = f"{declared}, but the tasks' minimums add up to {minimums}"
        act = f"set it to {minimums}: a job that starts with fewer pods than its tasks need hangs half started"
        return [Problem(here, text, str(minimums), act)]
    return []


def _check_policies(place: str, job: Mapping[str, Any]) -> list[Problem]:
    found: list[Problem] = []
    owners = [(place, job.get("spec", {}).get("policies") or [])]
    owners += [(f"{place} task {task.get('name')}", task.get("policies") or []) for task in tasks_of(job)]
    for here, policies in owners:
        for policy in policies:
            found += _check_policy(here, policy)
    handled = {event for _, policies in owners for policy in policies for event in _events(policy)}
    pods = sum(int(task.get("replicas", 1)) for task in tasks_of(job))
    if pods >= MULTI_POD and "*" not in handled:
        for event in ("PodFailed", "PodEvicted"):
            if event not in handled:
                act = f"add {{event: {event}, action: RestartJob}}: one lost worker would leave the rest waiting"
                found.append(Problem(f"{place} policies", f"nothing for {event}", "a policy for it", act))
    return found


def _events(policy: Mapping[str, Any]) -> list[str]:
    return list(policy.get("events") or ([policy["event"]] if policy.get("event") else []))


def _check_policy(place: str, policy: Mapping[str, Any]) -> list[Problem]:
    here, events = f"{place} policy", _events(policy)
    found: list[Problem] = []
    if bool(events) == ("exitCode" in policy):
        found.append(Problem(here, str(dict(policy)), "either events or exitCode", "keep one of them"))
    if policy.get("exitCode") == 0:
        found.append(Problem(here, "exitCode 0", "a failing code", "use event TaskCompleted for success"))
    for event in events:
        if event not in EVENTS:
            found.append(Problem(here, f"event {event}", ", ".join(EVENTS), "correct the event"))
    if policy.get("action") not in ACTIONS:
        found.append(Problem(here, f"action {policy.get('action')}", ", ".join(ACTIONS), "correct the action"))
    return found


def _check_queue_name(place: str, job: Mapping[str, Any], queues: Sequence[Queue]) -> list[Problem]:
    name = job.get("spec", {}).get("queue")
    takers = sorted(queue.name for queue in leafs(queues))
    if not name:
        act = "set it: without one the job lands in default, outside every quota"
        return [Problem(f"{place} queue", "absent", ", ".join(takers) or "a declared queue", act)]
    if queues and name not in takers:
        text = (
            f"{name} has queues below it" if any(queue.name == name for queue in queues) else f"{name} is not declared"
        )
        return [Problem(f"{place} queue", text, ", ".join(takers), "name a leaf queue")]
    return []


def _check_queue_room(place: str, job: Mapping[str, Any], queues: Sequence[Queue]) -> list[Problem]:
    queue = next((one for one in queues if one.name == job["spec"]["queue"]), None)
    if queue is None:
        return []
    limits = limit(queue, queues)
    needed = gang_request(job)
    return [
        Problem(
            f"{place} queue {queue.name}",
            f"the gang of {job_minimum(job)} needs {show(number, name)} {name}",
            f"at most {show(limits[name][0], name)} {name} (capability of {limits[name][1]})",
            "lower replicas or requests, or raise the capability",
        )
        for name, number in sorted(needed.items())
        if name in limits and number > limits[name][0]
    ]


def unplaceable(job: Mapping[str, Any], machines: Sequence[Machine]) -> list[Problem]:
    """Return why the gang cannot run on the declared machines even when they are empty.

    Only resources that every machine declares are counted; what a machine leaves undeclared is not taken as none.
    """
    room = [machine_amounts(machine) for machine in machines]
    found: list[Problem] = []
    for task in tasks_of(job):
        request = pod_request(task.get("template", {}).get("spec", {}))
        slots = sum(_fits(request, amounts) for amounts in room)
        need = task_minimum(task)
        if slots < need:
            asked = ", ".join(f"{show(number, name)} {name}" for name, number in sorted(request.items()))
            text = f"{need} pods of {asked} must start together, the declared machines hold {slots}"
            place = f"job {job.get('metadata', {}).get('name')} task {task.get('name')}"
            found.append(Problem(place, text, f"at most {slots} pods", "lower replicas or requests, or add machines"))
    return found


def _fits(request: Amounts, room: Amounts) -> int:
    counted = [
        int(room.get(name, Fraction(0)) // number)
        for name, number in request.items()
        if number > 0
        and (name in room or name not in ("cpu", "memory", "ephemeral-storage"))
        and not name.startswith("rdma/")
    ]
    return min(counted, default=110)  # 110: the kubelet's default pods a node

"""Gives jobs that use RDMA the environment of the nodes they may run on: what the nodes' own file says, no more.

A job that brings variables of its own (``ncclEnv``) is left alone. It deliberately refuses a job whose nodes do not
agree on one environment: half of its ranks would run with settings of another fabric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from raceway.cluster.config import JobConfig
from raceway.cluster.jobs.devices import SHAPE
from raceway.cluster.jobs.nccl import nccl_env
from raceway.cluster.problems import Problem, refuse
from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort
from raceway.model.machine import Machine
from raceway.model.nccl import Declaration

KEY = "raceway-workloads:ncclDevices"


def with_fabric(
    jobs: Iterable[JobConfig],
    machines: Sequence[Machine],
    declarations: Mapping[str, Declaration],
    ports: Sequence[RdmaPort] | None,
) -> list[JobConfig]:
    """Return the jobs with their environment. ``declarations``: of the hosts with the role; ``ports``: of each node."""
    return [_with(job, machines, declarations, ports) if _asks(job) else job for job in jobs]


def needs_fabric(jobs: Iterable[JobConfig]) -> bool:
    """Tell whether any job is to be given an environment."""
    return any(_asks(job) for job in jobs)


def _asks(job: JobConfig) -> bool:
    return bool(job.args.rdma_count) and not job.args.nccl_env


def _with(
    job: JobConfig,
    machines: Sequence[Machine],
    declarations: Mapping[str, Declaration],
    ports: Sequence[RdmaPort] | None,
) -> JobConfig:
    place = f"job {job.args.name}"
    known = [host for host in _hosts(place, job, machines) if host in declarations]
    if not known:
        return job
    first = declarations[known[0]]
    other = next((host for host in known if declarations[host] != first), "")
    if other:
        found = f"{known[0]} and {other} declare different nccl_* or roce_* values"
        act = "name hosts of one kind in fabricHosts, and keep the job on them"
        raise RacewayError(place, found, "one environment for all pods of a job", act)
    if ports is None and first.rails:
        act = "copy the ports of one of the nodes into a file beside the stack's; see `raceway nccl env --help`"
        raise RacewayError(KEY, f"absent, and {place} uses RDMA over declared rails", SHAPE, act)
    try:
        made = nccl_env(first, {host: tuple(ports or ()) for host in known[:1]})
    except RacewayError as error:
        raise RacewayError(f"{place}: {error.place}", error.found, error.allowed, error.act) from error
    return replace(job, args=replace(job.args, nccl_env=made))


def _hosts(place: str, job: JobConfig, machines: Sequence[Machine]) -> list[str]:
    """Return the hosts the job names, or every machine that has what its pods ask for."""
    names = {machine.name for machine in machines}
    refuse(
        [
            Problem(f"{place} fabricHosts", host, "machines of the inventory", "correct the name")
            for host in job.fabric_hosts
            if host not in names
        ],
        "workloads",
    )
    args = job.args
    fitting = (
        machine.name
        for machine in machines
        if machine.accelerator_count >= args.accelerators_per_node
        and machine.accelerator_resource == args.accelerator_resource
        and machine.rdma_resource == args.rdma_resource
        and machine.rdma_ports
    )
    return list(job.fabric_hosts) or list(fitting)

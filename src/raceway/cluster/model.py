"""The cluster as one checked value: the inventory's machines and the stack's configuration, agreed with each other.

``ClusterModel.build`` is where both sources meet; whatever disagrees is refused there, all at once. It deliberately
makes nothing happen: components register its manifests, ``raceway render`` prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raceway.cluster import hypernodes as fabric
from raceway.cluster.config import JobConfig, PlatformConfig
from raceway.cluster.hypernodes import HyperNode, natural
from raceway.cluster.jobs.lint import lint, unplaceable
from raceway.cluster.jobs.torchrun import TorchrunJobArgs
from raceway.cluster.jobs.torchrun import manifests as job_manifests
from raceway.cluster.nodes import check_machines, cluster_amounts, label_patch, offered_resources, taint_patch
from raceway.cluster.problems import Problem, nearest, refuse
from raceway.cluster.queues import ROOT, check_queues, ordered
from raceway.cluster.scheduler import SchedulerConf, check_scheduler, render, topology_aware, training_conf
from raceway.cluster.tenancy import check_namespaces, check_priorities
from raceway.model.machine import ACCELERATOR_RESOURCES, Machine

Manifest = dict[str, Any]


@dataclass(frozen=True)
class ClusterModel:
    """Machines and configuration that have been checked against each other."""

    machines: tuple[Machine, ...]
    config: PlatformConfig

    @classmethod
    def build(cls, machines: Sequence[Machine], config: PlatformConfig) -> ClusterModel:
        """Return the model, or raise one RacewayError that names everything wrong."""
        ranked = tuple(sorted(machines, key=lambda machine: natural(machine.name)))
        model = cls(ranked, config)
        refuse(model.problems(), "cluster layout")
        return model

    def problems(self) -> list[Problem]:
        """Return everything wrong with the layout."""
        config = self.config
        found = check_machines(self.machines) + check_namespaces(config.namespaces)
        found += check_priorities(config.priorities)
        offered = offered_resources(self.machines)
        found += check_queues(config.queues, offered, cluster_amounts(self.machines))
        tree = any(queue.parent != ROOT for queue in config.queues)
        shares = any(queue.deserved or queue.guarantee for queue in config.queues)
        found += check_scheduler(self.scheduler, tree, shares)
        if config.topology.source == "inventory":
            found += fabric.check_leafs(self.machines)
        found += fabric.check_hypernodes(self.hypernodes, (machine.name for machine in self.machines))
        if self.hypernodes and not topology_aware(self.scheduler):
            act = "add the plugin, or set topology.source: none"
            found.append(Problem("scheduler tiers", "HyperNodes but no network-topology-aware", "the plugin", act))
        return found

    @property
    def scheduler(self) -> SchedulerConf:
        """Return the declared scheduler configuration, or the one raceway ships for these accelerators."""
        if self.config.scheduler is not None:
            return self.config.scheduler
        kinds = offered_resources(self.machines) & {name for name in ACCELERATOR_RESOURCES.values() if name}
        return training_conf(sorted(kinds))

    @property
    def hypernodes(self) -> tuple[HyperNode, ...]:
        """Return the fabric's groups."""
        topology = self.config.topology
        if topology.source == "declared":
            return topology.hypernodes
        return fabric.from_machines(self.machines, topology.selector) if topology.source == "inventory" else ()

    def namespaces(self) -> list[Manifest]:
        """Return the Namespace objects."""
        return [namespace.manifest() for namespace in self.config.namespaces]

    def priorities(self) -> list[Manifest]:
        """Return the PriorityClass objects."""
        return [priority.manifest() for priority in self.config.priorities]

    def queues(self) -> list[Manifest]:
        """Return the Queue objects, parents first."""
        return [queue.manifest() for queue in ordered(self.config.queues)]

    def topology(self) -> list[Manifest]:
        """Return the HyperNode objects, lowest tier first."""
        return [hypernode.manifest() for hypernode in sorted(self.hypernodes, key=lambda one: one.tier)]

    def node_patches(self) -> list[Manifest]:
        """Return the Node patches that hold our labels."""
        return [label_patch(machine) for machine in self.machines] if self.config.node_labels else []

    def taint_patches(self) -> list[Manifest]:
        """Return the Node patches that hold the declared taints."""
        patches = [taint_patch(machine) for machine in self.machines] if self.config.node_taints else []
        return [patch for patch in patches if patch is not None]

    def scheduler_text(self) -> str:
        """Return the text of volcano-scheduler.conf."""
        return render(self.scheduler)

    def jobs(self, jobs: Sequence[JobConfig]) -> list[JobConfig]:
        """Return the jobs when every one of them can start here as declared; refuse them all otherwise."""
        found: list[Problem] = []
        seen: set[tuple[str, str]] = set()
        for job in jobs:
            found += self._check_job(job)
            key = (job.args.namespace, job.args.name)
            if key in seen:
                found.append(Problem(f"job {job.args.name}", "declared twice", "each job once", "rename one"))
            seen.add(key)
        refuse(found, "workloads")
        return list(jobs)

    def _check_job(self, job: JobConfig) -> list[Problem]:
        manifest = job_manifests(job.args)[-1]
        found = lint(manifest, self.config.queues)
        found += _known(job.args, "namespace", [one.name for one in self.config.namespaces])
        found += self._check_pod_security(job.args)
        if job.args.priority_class:
            found += _known(job.args, "priority_class", [one.name for one in self.config.priorities])
        if job.expect == "running" and not found:
            found += unplaceable(manifest, self.machines)
        return found

    def _check_pod_security(self, args: TorchrunJobArgs) -> list[Problem]:
        """Return a problem for IPC_LOCK where Pod Security admission refuses it: the pods would never be made."""
        space = next((one for one in self.config.namespaces if one.name == args.namespace), None)
        if space is None or not args.rdma_count or space.pod_security == "privileged":
            return []
        text = f"RDMA needs the capability IPC_LOCK, namespace {space.name} enforces {space.pod_security}"
        act = "set podSecurity: privileged on the namespace, or use another one"
        return [Problem(f"job {args.name}", text, "a namespace that enforces privileged", act)]


def _known(args: TorchrunJobArgs, name: str, known: list[str]) -> list[Problem]:
    value = str(getattr(args, name))
    if value in known:
        return []
    act = nearest(value, known) or "declare it in the platform stack"
    return [Problem(f"job {args.name} {name}", repr(value), ", ".join(known) or "(none declared)", act)]

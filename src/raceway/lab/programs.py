"""What a program of a lab's control plane is: arguments, port, health address, and what it waits for.

Pure. It deliberately asks nothing and starts nothing: ``supervisor`` does. The arguments stand in ``arguments``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .record import Record

TOOLS = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kwok",
    "vc-scheduler",
    "vc-controller-manager",
    "vc-webhook-manager",
)
PORTS = (
    "etcd",
    "etcd-peer",
    "etcd-health",
    "kube-apiserver",
    "kube-controller-manager",
    "kwok",
    "vc-scheduler",
    "vc-scheduler-health",
    "vc-controller-manager",
    "vc-controller-manager-health",
    "vc-webhook-manager",
)
# Volcano's scheduler and controllers start informers on these kinds and never serve without them.
CRDS = (
    "jobs.batch.volcano.sh",
    "commands.bus.volcano.sh",
    "podgroups.scheduling.volcano.sh",
    "queues.scheduling.volcano.sh",
    "numatopologies.nodeinfo.volcano.sh",
    "hypernodes.topology.volcano.sh",
    "cronjobs.batch.volcano.sh",
    "nodeshards.shard.volcano.sh",
    "jobflows.flow.volcano.sh",
    "jobtemplates.flow.volcano.sh",
)
WEBHOOK_PREFIX = "volcano-admission-service-"
ADMISSION = "{admission}"
SUPERVISOR = "raceway.lab.supervisor"
# kwok's stages, shipped with the package.
STAGES = tuple(Path(__file__).parent / "stages" / name for name in ("node.yaml", "pod.yaml"))


@dataclass(frozen=True)
class Program:
    """One program. ``needs``: healthy programs it starts after; ``crds``, ``webhooks``: API objects that must exist."""

    name: str
    arguments: tuple[str, ...]
    port: int
    health: str
    needs: tuple[str, ...] = ()
    crds: bool = False
    webhooks: bool = False
    # Any HTTP answer counts where a program has no health path on its serving port.
    any_status: bool = False


def fingerprint(record: Record, programs: Sequence[Program]) -> str:
    """Differs when a running supervisor works from other arguments or other binaries."""
    text = json.dumps([[asdict(program) for program in programs], record.tools], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def admission_paths(configurations: Sequence[str]) -> str:
    """``volcano-admission-service-jobs-mutate`` … → ``/jobs/mutate,…`` for --enabled-admission."""
    nouns = sorted({name.removeprefix(WEBHOOK_PREFIX) for name in configurations if name.startswith(WEBHOOK_PREFIX)})
    return ",".join("/" + noun.replace("-", "/") for noun in nouns)

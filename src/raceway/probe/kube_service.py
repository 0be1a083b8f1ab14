"""Asks systemd about one service, and the ledger about what it was; tells whether pods run on this node."""

from __future__ import annotations

from typing import Tuple

from ..facts.kube_service import ServiceFacts
from ..facts.unit import UnitState
from ..host import Host, Ledger
from .unit import show

ENABLED_BOOK, ACTIVE_BOOK, PENDING_BOOK = "kube_enabled", "kube_active", "kube_pending"
# One folder a running container, made and removed by the shim: read without a question to containerd.
TASKS = "/run/containerd/io.containerd.runtime.v2.task/k8s.io"


def service(host: Host, ledger: Ledger, unit: str) -> ServiceFacts:
    """Return the facts of one service."""
    states, problem = show(host, [unit])
    return ServiceFacts(
        state=states.get(unit, UnitState()),
        enabled=ledger.owned(ENABLED_BOOK),
        active=ledger.owned(ACTIVE_BOOK),
        pending=ledger.owned(PENDING_BOOK),
        problem=problem,
    )


def containers(host: Host) -> Tuple[str, ...]:
    """Return the ids of the containers of pods that run."""
    return tuple(host.listdir(TASKS))

"""Reads the kubelet's files, service and checkpoints; it deliberately asks its own port nothing, which wants a key."""

from __future__ import annotations

from ..facts.kubelet import KubeletFacts, parse_driver, parse_policy
from ..host import Host, Ledger
from ..model.kubelet import BASE, CONFIG, DROP_IN, STATES, UNIT, UNIT_FILE, KubeletDesired
from ..plan.dropin import BOOK
from .containerd import main_pid, unmounted
from .kube_service import containers, service

OURS = (UNIT_FILE, DROP_IN, CONFIG)


def probe(host: Host, desired: KubeletDesired, ledger: Ledger) -> KubeletFacts:
    """Return the facts the planner compares with ``desired``."""
    owned = tuple(path for path in ledger.owned(BOOK) if path in OURS)
    if not (desired.present or owned):
        return KubeletFacts()
    found = {path: host.read(path) for path in OURS}
    checkpoints = {path: host.read(path) for path in STATES.values()}
    base = host.read(BASE)
    pid = main_pid(host, UNIT)
    words = (host.read(f"/proc/{pid}/cmdline") or "").split("\0") if pid else []
    return KubeletFacts(
        service=service(host, ledger, UNIT),
        files={path: text for path, text in found.items() if text is not None},
        owned=owned,
        containers=containers(host),
        policies={path: parse_policy(text) for path, text in checkpoints.items() if text is not None},
        base=base is not None,
        driver=parse_driver(base or ""),
        arguments=tuple(word for word in words if word),
        unmounted=unmounted(host, desired.mounts),
    )

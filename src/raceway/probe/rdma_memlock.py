"""Reads of each unit whose processes lock memory: is it there, our drop-in, and what its main process may lock now."""

from __future__ import annotations

from typing import Dict, Sequence

from ..facts.rdma import UnitMemlock
from ..facts.rdma_memlock import parse_soft
from ..host import Host
from ..plan.rdma_memlock import drop_in

UNIT_FOLDERS = ("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")


def probe(host: Host, units: Sequence[str]) -> Dict[str, UnitMemlock]:
    """Return unit → its state; one question to systemd for those that are there."""
    there = {unit: host.first(f"{folder}/{unit}" for folder in UNIT_FOLDERS) is not None for unit in units}
    found: Dict[str, UnitMemlock] = {}
    for unit in units:
        pid = main_pid(host, unit) if there[unit] else 0
        soft = parse_soft(host.read(f"/proc/{pid}/limits") or "") if pid else ""
        found[unit] = UnitMemlock(there[unit], host.read(drop_in(unit)), pid, soft)
    return found


def main_pid(host: Host, unit: str) -> int:
    """Return the main process of a unit, 0 where none runs."""
    text = host.run(["systemctl", "show", "-p", "MainPID", "--value", "--", unit]).out.strip()
    return int(text) if text.isdigit() else 0

"""Reads how large a machine is. It deliberately runs no vendor tool: sysfs answers before any driver is installed."""

from __future__ import annotations

import sys
from typing import List, Tuple

from ..facts.machine import MachineFacts, count_accelerators, count_cpus, memory_kib
from ..host import Host, Ledger
from ..model.machine import MachineDesired

PCI = "/sys/bus/pci/devices/"
RDMA_PORTS = "/sys/class/infiniband/*/ports/*"


def probe(host: Host, desired: MachineDesired, ledger: Ledger) -> MachineFacts:
    """Return the sizes the machine planner compares with ``desired``; only what is declared is looked for."""
    ports = host.glob(RDMA_PORTS) if desired.rdma_ports else []
    names = [path.split("/") for path in ports]
    return MachineFacts(
        cpus=count_cpus(host.read("/sys/devices/system/cpu/online") or ""),
        memory_kib=memory_kib(host.read("/proc/meminfo") or ""),
        accelerators=count_accelerators(_devices(host)) if desired.accelerator_count else {},
        rdma_ports=tuple(f"{name[-3]}/{name[-1]}" for name in names),
        python=sys.version_info[:3],
    )


def _devices(host: Host) -> List[Tuple[str, str]]:
    rows = []
    for name in host.listdir(PCI):
        # A virtual function (physfn) is a share of a card that is counted already.
        if not host.exists(f"{PCI}{name}/physfn"):
            rows.append((host.read(f"{PCI}{name}/vendor") or "", host.read(f"{PCI}{name}/class") or ""))
    return rows

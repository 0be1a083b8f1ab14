"""What the kernel shows of a machine's size: CPUs, memory, accelerators, RDMA ports.

Input: /sys/devices/system/cpu/online, /proc/meminfo, and per PCI device the files ``vendor`` and ``class``::

    0-3,8-11
    MemTotal:       2113404140 kB
    0x10de 0x030200

It deliberately counts devices on the PCI bus, not what a driver shows: a card without its driver is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, Mapping, Tuple

VENDORS: Dict[str, str] = {"0x10de": "nvidia", "0x1002": "amd", "0x19e5": "ascend"}
# 3D controller, VGA controller, other display controller (AMD Instinct MI200), processing accelerator.
CLASSES = ("0x0302", "0x0300", "0x0380", "0x1200")


@dataclass(frozen=True)
class MachineFacts:
    """Sizes as found. ``accelerators``: count by kind."""

    cpus: int = 0
    memory_kib: int = 0
    accelerators: Mapping[str, int] = field(default_factory=dict)
    rdma_ports: Tuple[str, ...] = ()
    python: Tuple[int, ...] = ()


def count_cpus(text: str) -> int:
    """Return how many CPUs a kernel list names.

    >>> count_cpus("0-3,8-11\\n"), count_cpus("0")
    (8, 1)
    """
    total = 0
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            total += int(last or first) - int(first) + 1
    return total


def memory_kib(meminfo: str) -> int:
    """Return MemTotal in KiB, 0 where the text has none."""
    for line in meminfo.splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1])
    return 0


def count_accelerators(devices: Iterable[Tuple[str, str]]) -> Dict[str, int]:
    """Return the number of accelerators by kind from (vendor, class) of each PCI device.

    >>> count_accelerators([("0x10de", "0x030200"), ("0x10de", "0x068000"), ("0x1a03", "0x030000")])
    {'nvidia': 1}
    """
    counts: Dict[str, int] = {}
    for vendor, kind in devices:
        name = VENDORS.get(vendor.strip())
        if name and kind.strip().startswith(CLASSES):
            counts[name] = counts.get(name, 0) + 1
    return counts

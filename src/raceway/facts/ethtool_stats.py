"""What ``ethtool -S X`` counts.

    NIC statistics:
         rx_prio3_pause: 0
         rx_prio3_discards: 12

It deliberately compares nothing: a counter says something only as a difference of two readings. A name a driver does
not have is absent, and asking for it gives None; drivers call the same thing differently (ROCm/rocm-systems#11027).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Tuple

from .reading import number
from .verdict import ended, problem

# What is asked → the names of mlx5, then of bnxt_en; {} is the priority.
PRIORITY_NAMES: Mapping[str, Tuple[str, ...]] = {
    "rx_pause": ("rx_prio{}_pause", "rx_pfc_ena_frames_pri{}"),
    "tx_pause": ("tx_prio{}_pause", "tx_pfc_ena_frames_pri{}"),
    "rx_pause_us": ("rx_prio{}_pause_duration", "pfc_pri{}_rx_duration_us"),
    "rx_discards": ("rx_prio{}_discards",),
    "rx_bytes": ("rx_prio{}_bytes", "rx_bytes_pri{}"),
    "tx_bytes": ("tx_prio{}_bytes", "tx_bytes_pri{}"),
}
HEADER = re.compile(r"(NIC|Standard) (statistics|stats for .*):$")


@dataclass(frozen=True)
class Statistics:
    """Counters by the driver's own names. ``unread``: names whose value is no number, with what stood there."""

    counters: Mapping[str, int] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def of_priority(self, what: str, priority: int) -> Optional[int]:
        """Return a counter of one priority by a key of ``PRIORITY_NAMES``; None where the driver has none."""
        names = (name.format(priority) for name in PRIORITY_NAMES[what])
        return next((self.counters[name] for name in names if name in self.counters), None)


def parse(text: str) -> Statistics:
    """Read the output of one interface."""
    counters: Dict[str, int] = {}
    unread: Dict[str, str] = {}
    rest: List[str] = []
    headed = False
    shown, half = ended(text)
    for line in shown:
        # Ring counters hold a colon themselves: "[0]: rx_ucast_packets: 7".
        name, sign, value = line.strip().rpartition(":")
        count = number(value)
        if HEADER.match(line):
            headed = True
        elif sign and name and count is not None:
            counters[name] = count
        elif sign and name and headed and line.startswith(" "):
            unread[name] = value.strip()
        else:
            rest.append(line)
    cut = [] if counters else ["counters"]
    # Numbers alone do not make it ethtool's: many tools print "name: 7".
    said = problem("ethtool -S", headed, [*rest, *([] if headed else counters)], cut, half)
    return Statistics(counters if headed else {}, unread, said)

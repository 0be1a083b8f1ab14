"""What the kernel counts for the whole node: ``/proc/net/netstat``, ``/proc/net/snmp``, ``/proc/net/softnet_stat``.

    TcpExt: SyncookiesSent SyncookiesRecv ListenOverflows
    TcpExt: 0 0 12
    0012d687 00000003 0000000a 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000001

The first two come in pairs of lines, names and then numbers; the third has one line of hexadecimal columns a CPU.
It deliberately leaves values out that are no counters (limits, sockets open now): the difference of two readings of
those says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Mapping

from .reading import joined, lines, not_output_of, number, quote

# Groups of /proc/net/snmp hold these beside counters.
GAUGES = frozenset(
    ("Ip.Forwarding", "Ip.DefaultTTL", "Tcp.RtoAlgorithm", "Tcp.RtoMin", "Tcp.RtoMax", "Tcp.MaxConn", "Tcp.CurrEstab")
)
# The columns of softnet_stat that mean the same on every kernel since 2.6 (net/core/net-procfs.c).
COLUMNS = {"processed": 0, "dropped": 1, "time_squeeze": 2}


@dataclass(frozen=True)
class ProcCounters:
    """Counters by name: ``TcpExt.ListenOverflows``, or ``dropped`` summed over all CPUs."""

    counters: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


def parse_pairs(text: str) -> ProcCounters:
    """Read netstat or snmp."""
    counters: Dict[str, int] = {}
    problems: List[str] = []
    waiting: List[str] = []
    for line in lines(text):
        words = line.split()
        if not words[0].endswith(":") or len(words) < 2:
            problems.append(f"not understood: {quote(line)}")
        elif not waiting:
            waiting = words
        else:
            problems += _pair(waiting, words, counters)
            waiting = []
    if waiting:
        problems.append(f"{waiting[0]} has names and no numbers")
    if not counters:
        return ProcCounters(problem=not_output_of("/proc/net/netstat", text))
    return ProcCounters(counters, joined(*problems))


def _pair(names: List[str], values: List[str], counters: Dict[str, int]) -> List[str]:
    """Add a pair of lines to the counters; return what is wrong with it."""
    if names[0] != values[0]:
        return [f"{names[0]} is followed by {values[0]}"]
    group = names[0].rstrip(":")
    problems = (
        [] if len(names) == len(values) else [f"{names[0]} has {len(names) - 1} names, {len(values) - 1} numbers"]
    )
    for name, value in zip(names[1:], values[1:]):
        count = number(value)
        if count is None:
            problems.append(f"{group}.{name}: {quote(value)} is no number")
        elif f"{group}.{name}" not in GAUGES:
            counters[f"{group}.{name}"] = count
    return problems


def parse_softnet(text: str) -> ProcCounters:
    """Read softnet_stat, all CPUs together."""
    total = dict.fromkeys(COLUMNS, 0)
    problems: List[str] = []
    cpus = 0
    for line in lines(text):
        words = line.split()
        if len(words) <= max(COLUMNS.values()) or not all(re.fullmatch("[0-9a-f]{8,16}", word) for word in words):
            problems.append(f"not understood: {quote(line)}")
            continue
        cpus += 1
        for name, column in COLUMNS.items():
            total[name] += int(words[column], 16)
    if not cpus:
        return ProcCounters(problem=not_output_of("/proc/net/softnet_stat", text))
    return ProcCounters(total, joined(*problems))

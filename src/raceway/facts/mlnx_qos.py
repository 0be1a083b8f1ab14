"""What ``mlnx_qos -i X`` (DOCA, OFED, mlnx-tools) says of a port's trust, DSCP map, PFC, buffers and traffic classes.

    Priority trust state: dscp
        prio:3 dscp:31,30,29,28,27,26,25,24,
    tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%

It deliberately keeps the DSCP map as a sorted set of pairs: rows are cut at 24 characters, so that a priority repeats,
and the order differs between the tool's two back ends. What an older tool or a port without buffers does not print is
None: no buffer row does not mean buffer 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Dict, List, Optional, Tuple

from .reading import decimal, number
from .verdict import ended, problem

EIGHT = 8
MAPPED = re.compile(r"\s*prio:([0-7])\s+dscp:([0-9, ]*)$")
CLASS = re.compile(
    r"tc: (?P<number>[0-7])(?: ratelimit: (?P<rate>unlimited|[0-9.,]+ Gbps),)?"
    r"(?: tsa: (?P<tsa>\w+))?(?:, bw: (?P<bw>[0-9]+)%)?$"
)
WARNINGS = ("WARNING", "Buffers commands are not supported", "Priority trust state is not supported")


@dataclass(frozen=True)
class TrafficClass:
    """One class in use. ``limit_gbps``: None with ``unlimited``; ``share``: percent, of ``ets`` classes only."""

    number: int
    scheduling: Optional[str] = None
    unlimited: Optional[bool] = None
    limit_gbps: Optional[float] = None
    share: Optional[int] = None
    priorities: Tuple[int, ...] = ()


@dataclass(frozen=True)
class MlnxQos:
    """One port. ``dcbx``: ``os`` or ``firmware``; ``trust``: ``dscp``, ``pcp`` or ``none``; ``dscp``: (DSCP, priority).

    ``enabled``: PFC by priority; ``priority_buffer``: receive buffer by priority; ``buffers``/``buffer_total``: bytes;
    ``cable_m``: metres; ``lldpad``: the tool warns that lldpad runs and overwrites all this; ``warnings``: verbatim.
    """

    dcbx: Optional[str] = None
    trust: Optional[str] = None
    dscp: Optional[Tuple[Tuple[int, int], ...]] = None
    default_priority: Optional[int] = None
    buffers: Optional[Tuple[int, ...]] = None
    buffer_total: Optional[int] = None
    cable_m: Optional[int] = None
    enabled: Optional[Tuple[bool, ...]] = None
    priority_buffer: Optional[Tuple[int, ...]] = None
    classes: Tuple[TrafficClass, ...] = ()
    lldpad: bool = False
    warnings: Tuple[str, ...] = ()
    problem: str = ""


@dataclass
class _Reading:
    values: Dict[str, str] = field(default_factory=dict)
    pairs: Dict[Tuple[int, int], None] = field(default_factory=dict)
    classes: List[TrafficClass] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)
    rest: List[str] = field(default_factory=list)


def parse(text: str) -> MlnxQos:
    """Read the whole output."""
    seen = _Reading()
    shown, half = ended(text)
    for line in shown:
        _take(line, seen)
    values, trust = seen.values, seen.values.get("Priority trust state")
    enabled, buffer = _row(values.get("enabled")), _row(values.get("buffer"))
    sizes = _sizes(values.get("Receive buffer size (bytes)"))
    # The enabled row and the classes are printed by every version; a text without them ends too early.
    cut = [what for what, there in (("PFC row enabled", enabled), ("traffic classes", seen.classes)) if not there]
    read = bool(values or seen.classes)
    return MlnxQos(
        dcbx={"OS controlled": "os", "Firmware controlled": "firmware"}.get(values.get("DCBX mode", "")),
        trust=trust,
        dscp=tuple(sorted(seen.pairs)) if seen.pairs else None,
        default_priority=number(values.get("default priority")),
        buffers=sizes[0],
        buffer_total=sizes[1],
        cable_m=number(values.get("Cable len")),
        enabled=tuple(one == 1 for one in enabled) if enabled else None,
        priority_buffer=buffer,
        classes=tuple(seen.classes),
        lldpad=any("lldpad" in warning for warning in seen.warnings),
        warnings=tuple(seen.warnings),
        problem=problem("mlnx_qos", read, seen.rest, cut, half),
    )


def _take(line: str, seen: _Reading) -> None:
    mapped, one = MAPPED.match(line), CLASS.match(line.strip())
    row = re.match(r"\s+(priority|enabled|buffer)\s+([0-9 ]+)$", line)
    member = re.match(r"\s+priority:\s+([0-7])$", line)
    default = re.match(r"\s*prio:([0-7])$", line)
    if any(word in line for word in WARNINGS):
        seen.warnings.append(line.strip(" *"))
    elif mapped:
        numbers = (number(word) for word in mapped[2].split(","))
        seen.pairs.update({(dscp, int(mapped[1])): None for dscp in numbers if dscp is not None})
    elif one:
        seen.classes.append(_class(one))
    elif row:
        seen.values[row[1]] = row[2]
    elif member and seen.classes:
        last = seen.classes[-1]
        seen.classes[-1] = replace(last, priorities=(*last.priorities, int(member[1])))
    elif default and "default priority" in seen.values:
        seen.values["default priority"] = default[1]
    elif re.match(r"(DCBX mode|Priority trust state|default priority|Receive buffer size|Cable len):?", line):
        name, _, value = line.partition(":")
        seen.values[name.strip()] = value.strip()
    elif line.strip().rstrip(":") not in ("dscp2prio mapping", "PFC configuration"):
        seen.rest.append(line)


def _class(found: re.Match[str]) -> TrafficClass:
    rate = found["rate"]
    return TrafficClass(
        number=int(found["number"]),
        scheduling=found["tsa"],
        unlimited=None if rate is None else rate == "unlimited",
        limit_gbps=decimal(rate.split()[0]) if rate else None,
        share=number(found["bw"]),
    )


def _row(text: Optional[str]) -> Optional[Tuple[int, ...]]:
    row = tuple(int(word) for word in (text or "").split())
    return row if len(row) == EIGHT else None


def _sizes(text: Optional[str]) -> Tuple[Optional[Tuple[int, ...]], Optional[int]]:
    words = (text or "").split(",")
    row = tuple(size for size in (number(word) for word in words) if size is not None)
    total = next((number(word.partition("=")[2]) for word in words if "=" in word), None)
    return (row if len(row) == EIGHT else None), total

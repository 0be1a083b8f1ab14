"""What ``ethtool --show-fec X`` says (with ``-I`` also its counters), as text or with ``--json``.

    FEC parameters for eth2:
    Supported/Configured FEC encodings: Auto RS BaseR
    Active FEC encoding: RS

It deliberately calls nothing a mismatch: without a link the active encoding is None or Off whatever is configured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .reading import joined, number
from .verdict import ended, problem, split_json

HEAD = "FEC parameters for "
# Older tools wrote "Configured FEC encodings:"; since 5.1 it is "Supported/Configured".
ENCODINGS = re.compile(r"((?:Supported/)?Configured|Active) FEC encodings?:(.*)$")
COUNTER = re.compile(r"\s+(\w+): *([0-9]+)")


@dataclass(frozen=True)
class Fec:
    """One interface. ``configured``, ``active``: encodings as printed (``RS``, ``BaseR``, ``Off``, ``None``).

    ``counters``: of ``-I``: corrected_blocks, uncorrectable_blocks and others, over all lanes.
    """

    interface: str = ""
    configured: Optional[Tuple[str, ...]] = None
    active: Optional[Tuple[str, ...]] = None
    counters: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> Fec:
    """Read the output of one interface."""
    rows, before, wrong = split_json(text)
    if rows is not None:
        return _from_json(rows[0] if rows else {}, before, wrong)
    shown, half = ended(text)
    found: Dict[str, Tuple[str, ...]] = {}
    counters: Dict[str, int] = {}
    left: List[str] = []
    interface = ""
    for line in shown:
        encodings, counter = ENCODINGS.match(line), COUNTER.match(line)
        if line.startswith(HEAD):
            interface = line[len(HEAD) :].rstrip(":")
        elif encodings:
            found["active" if encodings[1] == "Active" else "configured"] = tuple(encodings[2].split())
        elif counter:
            counters[counter[1]] = int(counter[2])
        elif line != "Statistics:":
            left.append(line)
    cut = [key for key in ("configured", "active") if not found.get(key)]
    said = problem("ethtool --show-fec", bool(interface or found), left, cut, half)
    return Fec(interface, found.get("configured") or None, found.get("active") or None, counters, said)


def _from_json(row: Dict[str, Any], before: List[str], wrong: str) -> Fec:
    statistics = row.get("statistics")
    rows = statistics if isinstance(statistics, dict) else {}
    totals = {name: number(one.get("total")) for name, one in rows.items() if isinstance(one, dict)}
    configured, active = _words(row.get("config")), _words(row.get("active"))
    cut = [key for key, there in (("config", configured), ("active", active)) if not there]
    return Fec(
        interface=str(row.get("ifname", "")),
        configured=configured,
        active=active,
        counters={name: total for name, total in totals.items() if total is not None},
        problem=joined(wrong, problem("ethtool --show-fec", True, before, () if wrong else cut)),
    )


def _words(value: Any) -> Optional[Tuple[str, ...]]:
    return tuple(str(one) for one in value) if isinstance(value, list) and value else None

"""What ``mlxlink -d D`` says of a port, as text or with ``--json``; ``-m`` and ``-c`` add module and counters.

    Physical state                     : LinkUp
    FEC                                : Standard RS-FEC - RS(528,514)
    Recommendation                     : No issue was observed

It deliberately judges a link by State alone: while it is Active the physical state may read ``ETH_AN_FSM_ENABLE``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .reading import decimal, joined, number, switch
from .verdict import ended, known, problem, split_json

SECTION = re.compile(r"[A-Z][A-Za-z0-9 ,()/-]*(Info|Information|Errors|Status|Capabilities)( \[.*\])?$")


@dataclass(frozen=True)
class PortLink:
    """One port. ``state``: ``Active`` is up; ``speed``: as printed (``200G``, ``IB-NDR``), ``speed_gbps`` of Ethernet.

    ``effective_ber``/``raw_ber``: errors a bit; ``sections``: everything that was printed, by heading, verbatim.
    """

    state: Optional[str] = None
    physical_state: Optional[str] = None
    speed: Optional[str] = None
    speed_gbps: Optional[float] = None
    width: Optional[int] = None
    fec: Optional[str] = None
    auto_negotiation: Optional[bool] = None
    opcode: Optional[int] = None
    recommendation: Optional[str] = None
    effective_errors: Optional[int] = None
    effective_ber: Optional[float] = None
    raw_ber: Optional[float] = None
    link_downs: Optional[int] = None
    temperature_c: Optional[float] = None
    firmware: Optional[str] = None
    sections: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> PortLink:
    """Read the output of one port."""
    rows, before, wrong = split_json(text)
    if rows is not None:
        return _from_json(rows[0] if rows else {}, before, wrong)
    sections: Dict[str, Dict[str, str]] = {}
    left: List[str] = []
    heading = ""
    shown, half = ended(text)
    for line in shown:
        name, sign, one = line.partition(":")
        if SECTION.match(line) and not sign:
            heading = line.strip()
            sections[heading] = {}
        elif heading and sign and not line.startswith("-E-"):
            sections[heading][name.strip()] = one.strip()
        elif not re.match(r"-+$", line):
            left.append(line)
    return _port(sections, left, half=half)


def _from_json(value: Dict[str, Any], rest: List[str], wrong: str) -> PortLink:
    status, output = _object(value, "status"), _object(_object(value, "result"), "output")
    sections = {
        name: {key: _cell(one) for key, one in rows.items()} for name, rows in output.items() if isinstance(rows, dict)
    }
    failed = status.get("code", 0) not in (0, "0")
    told = [f"error: {status.get('message') or status.get('code')}"] if failed else []
    return _port(sections, [*rest, *told], wrong)


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inside = value.get(key)
    return inside if isinstance(inside, dict) else {}


def _cell(value: Any) -> str:
    values = value.get("values") if isinstance(value, dict) else value
    return ",".join(str(one) for one in values) if isinstance(values, list) else str(values)


def _port(sections: Dict[str, Dict[str, str]], rest: List[str], wrong: str = "", half: Sequence[str] = ()) -> PortLink:
    flat: Dict[str, str] = {}
    for rows in sections.values():
        for name, value in rows.items():
            flat.setdefault(name, value)
    speed = known(flat.get("Speed"))
    gbps = re.fullmatch(r"([0-9.]+)G(?:[bB]?E?)?(?:_[0-9]+X)?", speed or "")
    lanes = re.fullmatch(r"([0-9]+)x", flat.get("Width", ""))
    warm = re.match(r"[0-9.]+", flat.get("Temperature [C]", ""))
    cut = [] if {"State", "Physical state", "Speed", "Width"} <= set(flat) else ["Operational Info"]
    said = problem("mlxlink", bool(sections or wrong), rest, () if wrong else cut, half)
    return PortLink(
        state=known(flat.get("State")),
        physical_state=known(flat.get("Physical state")),
        speed=speed,
        speed_gbps=decimal(gbps[1]) if gbps else None,
        width=number(lanes[1]) if lanes else None,
        fec=known(flat.get("FEC")),
        auto_negotiation=switch(flat.get("Auto Negotiation", "").split(" ")[0]),
        opcode=number(flat.get("Status Opcode")),
        recommendation=known(flat.get("Recommendation")),
        effective_errors=number(flat.get("Effective Physical Errors")),
        effective_ber=decimal(flat.get("Effective Physical BER")),
        raw_ber=decimal(flat.get("Raw Physical BER")),
        link_downs=number(flat.get("Link Down Counter")),
        temperature_c=decimal(warm[0]) if warm else None,
        firmware=known(flat.get("Firmware Version")),
        sections=sections,
        problem=joined(wrong, said),
    )

"""What the neighbours of a node's ports say of themselves by LLDP, as ``lldpctl`` of lldpd prints it.

All its forms are read: ``-f json``, the older ``-f json0`` in which everything is a list, and plain text::

    {"lldp": {"interface": {"ens1f0np0": {"chassis": {"leaf1": {…}}, "port": {"id": {…}, "mfs": "9216"}}}}}
    Interface:    ens1f0np0, via: LLDP, RID: 1, Time: 0 day, 00:01:05
        MFS:          9216

``mfs`` is the largest frame in bytes, header and check sequence counted (the Maximum Frame Size TLV of IEEE 802.3).
It deliberately takes a neighbour that sends no such TLV for one of unknown size, never for one of 1500.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .reading import number
from .verdict import ended, problem, split_json

TOOL = "lldpctl"
_LINE = re.compile(r"^\s*(Interface|SysName|ChassisID|PortID|MFS):\s+(.*)$")
_REST = re.compile(r"^\s*([-=]+$|[A-Z][\w /-]*:(\s|$))|^\s+\S|^LLDP neighbors:")


@dataclass(frozen=True)
class Neighbour:
    """One neighbour of one interface. ``name``: its system name, else its chassis id; ``port``: its port's id.

    ``max_frame``: bytes of the largest frame it takes, None where it does not say.
    """

    interface: str
    name: str = ""
    port: str = ""
    max_frame: Optional[int] = None


@dataclass(frozen=True)
class Lldp:
    """All neighbours in the order of the tool; none and no ``problem``: nothing was heard."""

    neighbours: Tuple[Neighbour, ...] = ()
    problem: str = ""

    def of(self, interface: str) -> Tuple[Neighbour, ...]:
        """Return the neighbours of one interface."""
        return tuple(row for row in self.neighbours if row.interface == interface)


def parse(text: str) -> Lldp:
    """Read the whole output in any of its forms."""
    rows, before, wrong = split_json(text)
    if rows is None:
        return _plain(text)
    tops = [row["lldp"] for row in rows if "lldp" in row]
    # Of a list that was cut off, the whole entries before the cut are the rows.
    found = [one for top in tops for one in _neighbours(top)] or [one for row in rows if wrong for one in _of(row)]
    rest = [] if tops else [text]
    return Lldp(tuple(found), wrong or problem(TOOL, bool(tops), [*before, *rest]))


def _neighbours(top: Any) -> List[Neighbour]:
    rows: List[Neighbour] = []
    for one in _listed(top):
        for interface in _listed(one.get("interface")):
            rows += _of(interface)
    return rows


def _of(entry: Mapping[str, Any]) -> List[Neighbour]:
    """Return the neighbours of one entry: ``{"name": …}`` of json0, or one key an interface of json."""
    if isinstance(entry.get("name"), str):
        return [_neighbour(entry["name"], entry)]
    return [_neighbour(name, body) for name, body in entry.items() if isinstance(body, dict)]


def _neighbour(interface: str, body: Mapping[str, Any]) -> Neighbour:
    port = next(iter(_listed(body.get("port"))), {})
    return Neighbour(interface, _name(body.get("chassis")), _value(port.get("id")), number(_value(port.get("mfs"))))


def _name(chassis: Any) -> str:
    first = next(iter(_listed(chassis)), {})
    if "id" in first:
        return _value(first.get("name")) or _value(first["id"])
    # Keyed by the system's name.
    return next((name for name, body in first.items() if isinstance(body, dict)), "")


def _value(found: Any) -> str:
    """Return the text of ``"9216"``, ``{"value": "9216"}`` or ``[{"value": "9216"}]``."""
    if isinstance(found, list):
        found = found[0] if found else ""
    if isinstance(found, dict):
        found = found.get("value", "")
    return "" if found is None else str(found)


def _listed(found: Any) -> List[Dict[str, Any]]:
    return [row for row in (found if isinstance(found, list) else [found]) if isinstance(row, dict)]


def _plain(text: str) -> Lldp:
    shown, half = ended(text)
    rows: List[Dict[str, str]] = []
    rest: List[str] = []
    headed = False
    for line in shown:
        found = _LINE.match(line)
        headed = headed or line.startswith("LLDP neighbors:")
        if found and found[1] == "Interface":
            rows.append({"Interface": found[2].split(",")[0].strip()})
        elif found and rows:
            rows[-1].setdefault(found[1], found[2].strip())
        elif not (rows or headed) or not _REST.match(line):
            rest.append(line)
    cut = [f"MFS of {row['Interface']}" for row in rows[-1:] if half and "MFS" not in row]
    return Lldp(tuple(_told(row) for row in rows), problem(TOOL, bool(rows) or headed, rest, cut, half))


def _told(row: Mapping[str, str]) -> Neighbour:
    name, port = row.get("SysName") or _last(row.get("ChassisID", "")), _last(row.get("PortID", ""))
    return Neighbour(row["Interface"], name, port, number(row.get("MFS")))


def _last(text: str) -> str:
    """Return the value of ``ifname swp1`` or ``mac 50:6b:4b:00:00:01``."""
    return text.partition(" ")[2].strip() or text

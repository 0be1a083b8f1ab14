"""What ``ip -N -j route show table all`` says, of one family a call: every route with the interface it leaves by.

    [{"dst":"default","gateway":"10.0.2.2","dev":"mgmt0","flags":[]},
     {"dst":"10.1.0.0/24","dev":"ens1f0np0","table":"1000","scope":"253","prefsrc":"10.1.0.11","metric":1000,
      "flags":["linkdown"]},
     {"dst":"10.9.0.0/16","flags":[],"nexthops":[{"gateway":"10.1.0.1","dev":"ens1f0np0","weight":1,"flags":[]}]}]

It deliberately leaves out the kernel's own table of local addresses: it follows from the addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

from ..model.route import DEFAULT, LOCAL, MAIN, V4, V6, Route, prefix
from .ip_rule import table_of
from .reading import Row, is_json, joined, json_rows, not_output_of, number


@dataclass(frozen=True)
class IpRouteFacts:
    """(interface, route) each; every next hop of a route with several is one. No routes, no problem: there are none."""

    routes: Tuple[Tuple[str, Route], ...] = ()
    problem: str = ""


def parse(text: str, family: int = V4) -> IpRouteFacts:
    """Return the routes there are in the JSON form; ``family`` is that of a default route that does not show it."""
    if not is_json(text):
        return IpRouteFacts(problem=not_output_of("ip -N -j route show table all", text))
    rows, problem = json_rows(text)
    found: List[Tuple[str, Route]] = []
    told: List[str] = []
    for row in rows:
        table = table_of(row.get("table", MAIN))
        destination = _destination(str(row.get("dst", "")))
        if not destination:
            told.append("an entry without a destination")
        elif table is not None and table != LOCAL:
            found += _hops(row, destination, table, family)
    return IpRouteFacts(tuple(found), joined(problem, *told))


def _destination(text: str) -> str:
    # What reaches nothing has its kind before the prefix in old versions: "unreachable default".
    word = text.rpartition(" ")[2]
    return DEFAULT if word == DEFAULT else prefix(word) or ""


def _hops(row: Row, destination: str, table: int, family: int) -> List[Tuple[str, Route]]:
    hops = row.get("nexthops")
    rows = [hop for hop in hops if isinstance(hop, dict)] if isinstance(hops, list) else [row]
    found = []
    for hop in rows:
        gateway = str(hop.get("gateway", ""))
        texts = (destination, gateway)
        seen = V6 if any(":" in text for text in texts) else V4 if any("." in text for text in texts) else family
        source, metric = str(row.get("prefsrc", "")), number(row.get("metric")) or 0
        found.append((str(hop.get("dev", "")), Route(destination, table, gateway, metric, source, seen)))
    return found

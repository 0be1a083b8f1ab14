"""What the cells of a sweep mean: passed or not, and who is named with what evidence and what to do next.

    gpu07 rail 0: it sends too slowly: to 7 of 7 partners, 41 to 45 Gb/s, wanted at least 90

A figure is good or not by its declared limit alone; medians help to name, never to pass. It deliberately calls nothing
passed that was not measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from raceway.model.pairwise import BANDWIDTH, LATENCY
from raceway.summary import fold

from .blame import BOTH, RECEIVES, SENDS, Blame, blame
from .cells import LOW, NONE, OK, UNITS, Cell
from .model import Sweep

PASSED, FAILED, INCOMPLETE = "passed", "failed", "incomplete"
NODE, PORT, PATH, RAIL, LINK, LEFT_OUT, UNMEASURED = "node", "port", "path", "rail", "link", "left out", "not measured"
NEAR = 0.8  # of the rail's median: where a whole rail is slow, who is below this is odd even there
ACTS = {
    SENDS: "look at what limits sending there: cable, PCIe link, MaxReadReq, a queueing discipline (tc), ECN marks",
    RECEIVES: "look at what limits receiving there: PCIe link, buffers, pause frames it sends, its leaf's port",
    BOTH: "look at this port first: cable and module, PCIe link, firmware, its leaf's port",
}
WAYS = {SENDS: "it sends too slowly", RECEIVES: "it receives too slowly", BOTH: "it is bad in both directions"}


@dataclass(frozen=True)
class Finding:
    """One thing that is not as declared. ``name``: the node, port, pair or rail it is about."""

    kind: str
    name: str
    text: str
    act: str
    hosts: tuple[str, ...] = ()

    def message(self) -> str:
        """Return it as one line."""
        return f"{self.name}: {self.text}; next: {self.act}"


@dataclass(frozen=True)
class Verdict:
    """The word for the whole sweep, what stands behind it, and the number of cells by state."""

    word: str
    findings: tuple[Finding, ...]
    counts: dict[str, int]

    @property
    def named(self) -> tuple[str, ...]:
        """Return the hosts that something was found at."""
        told = (row for row in self.findings if row.kind in (NODE, PORT, PATH, LINK))
        return tuple(dict.fromkeys(host for row in told for host in row.hosts))


def judge(sweep: Sweep, found: Sequence[Cell]) -> Verdict:
    """Return the verdict on a sweep."""
    counts = {state: sum(cell.state == state for cell in found) for state in (OK, LOW, NONE)}
    rows: list[Finding] = _links(sweep)
    for rail in sweep.rails:
        for measure in dict.fromkeys(cell.measure for cell in found):
            rows += _measure(f"rail {rail.number}", [c for c in found if (c.rail, c.measure) == (rail.number, measure)])
    rows = _nodes(sweep, rows)
    rows += _unmeasured(found)
    rows += [Finding(LEFT_OUT, one.name, f"not measured: {one.reason}", one.act) for one in sweep.left_out]
    failed = counts[LOW] or any(row.kind in (NODE, PORT, PATH, RAIL, LINK) for row in rows)
    complete = found and not counts[NONE] and not rows
    return Verdict(FAILED if failed else PASSED if complete else INCOMPLETE, tuple(rows), counts)


def _measure(rail: str, cells: Sequence[Cell]) -> list[Finding]:
    tried = [cell for cell in cells if cell.tried]
    bad = [cell for cell in tried if cell.state != OK]
    if not bad:
        return []
    directed = cells[0].measure == BANDWIDTH
    found = blame(tried, bad, directed)
    every = {host for cell in tried for host in (cell.sender, cell.receiver)}
    named = {end.host for end, _, _ in found.ends}
    if len(every) < 3 or (len(bad) < len(tried) and len(named) * 2 <= len(every)):
        return _named(rail, found, tried)
    wanted = f"{len(bad)} of {len(tried)} measurements, {_figures(bad)}"
    act = "look at what all have in common: the leaf, its configuration, the declared line rate"
    rows = [Finding(RAIL, rail, f"{cells[0].measure} is bad nearly everywhere: {wanted}", act)]
    odd = _named(rail, blame(tried, _far_from_median(tried), directed), tried)
    return rows + [row for row in odd if row.kind == PORT]


def _far_from_median(cells: Sequence[Cell]) -> list[Cell]:
    values = [cell.value for cell in cells if cell.value is not None]
    if not values:
        return []
    middle = statistics.median(values)
    high = cells[0].measure == LATENCY
    return [
        cell
        for cell in cells
        if cell.value is None or (cell.value > middle / NEAR if high else cell.value < middle * NEAR)
    ]


def _named(rail: str, found: Blame, tried: Sequence[Cell]) -> list[Finding]:
    rows = []
    for end, cells, count in found.ends:
        way = WAYS[end.role] if cells[0].measure == BANDWIDTH else f"{cells[0].measure} is bad"
        text = f"{way}: {len(cells)} of {count} measurements, {_figures(cells)}"
        rows.append(Finding(PORT, f"{end.host} {rail}", text, ACTS[end.role], (end.host,)))
    pairs: dict[frozenset[str], list[Cell]] = {}
    for cell in found.paths:
        pairs.setdefault(frozenset((cell.sender, cell.receiver)), []).append(cell)
    return rows + [_path(rail, cells, tried) for cells in pairs.values()]


def _path(rail: str, cells: list[Cell], tried: Sequence[Cell]) -> Finding:
    first, ends = cells[0], {cells[0].sender, cells[0].receiver}
    name = f"{first.sender} {'↔' if len(cells) > 1 else '→'} {first.receiver} {rail}"
    text = f"{first.measure} of this pair is bad, {_figures(cells)}"
    others = [{cell.sender, cell.receiver} for cell in tried if {cell.sender, cell.receiver} != ends]
    alone = sorted(host for host in ends if not any(host in other for other in others))
    if not alone:
        act = "look at the cables and hops between the two"
        return Finding(
            PATH, name, f"{text}; with others both do better, so it is the path, no node", act, tuple(sorted(ends))
        )
    which = f"{first.sender} sends or {first.receiver} receives badly" if len(cells) == 1 else "one of the two is bad"
    act = "measure with a third node: it tells which"
    text = f"{text}; {which}, or the path: nothing else was measured of {' and '.join(alone)}"
    return Finding(PATH, name, text, act, tuple(sorted(ends)))


def _figures(cells: Sequence[Cell]) -> str:
    """Return the range of the figures and what was wanted, or why there is none."""
    values = sorted(cell.value for cell in cells if cell.value is not None)
    limits = sorted({cell.limit for cell in cells if cell.limit is not None})
    unit = UNITS[cells[0].measure]
    parts = []
    if values:
        span = f"{values[0]:.4g}" if values[0] == values[-1] else f"{values[0]:.4g} to {values[-1]:.4g}"
        parts.append(f"{span} {unit}")
        if limits:
            word = "at most" if cells[0].measure == LATENCY else "at least"
            parts.append(f"wanted {word} {limits[0]:.4g}" + (f" to {limits[-1]:.4g}" if len(limits) > 1 else ""))
    lost = [cell for cell in cells if cell.value is None]
    if lost:
        parts.append(f"{len(lost)} without a figure ({lost[0].reason})")
    return ", ".join(parts)


def _nodes(sweep: Sweep, rows: list[Finding]) -> list[Finding]:
    """Put the findings of a node together where every port of it, and more than one, is named."""
    ports: dict[str, int] = {}
    for port in sweep.ports:
        ports[port.host] = ports.get(port.host, 0) + 1
    named: dict[str, list[Finding]] = {}
    for row in rows:
        if row.kind == PORT:
            named.setdefault(row.hosts[0], []).append(row)
    whole = {host for host, found in named.items() if len({one.name for one in found}) == ports[host] > 1}
    made = [
        Finding(
            NODE,
            host,
            f"all of its {ports[host]} ports are bad: {'; '.join(f'{one.name}: {one.text}' for one in named[host])}",
            "look at the machine first: PCIe settings, IOMMU and ACS, CPU governor, NUMA placement",
            (host,),
        )
        for host in named
        if host in whole
    ]
    return made + [row for row in rows if row.kind != PORT or row.hosts[0] not in whole]


def _links(sweep: Sweep) -> list[Finding]:
    """Return ports whose link came up slower than declared: they are named whatever their partners say."""
    act = "look at the cable, the module and the FEC of both ends; or correct acceptance_ports"
    return [
        Finding(
            LINK,
            port.name,
            f"its link came up at {port.rate_gbps:g} Gb/s, declared are {port.gbps:g}",
            act,
            (port.host,),
        )
        for port in sweep.ports
        if port.rate_gbps is not None and port.rate_gbps < port.gbps * 0.99
    ]


def _unmeasured(found: Iterable[Cell]) -> list[Finding]:
    """Return why cells were not measured at all: each reason once, and all nodes without an answer as one."""
    reasons: dict[str, list[Cell]] = {}
    for cell in found:
        if cell.state == NONE and not cell.tried:
            reasons.setdefault("" if cell.lost else cell.reason, []).append(cell)
    rows = []
    for reason, cells in reasons.items():
        lost = tuple(dict.fromkeys(host for cell in cells for host in cell.lost))
        hosts = lost or tuple(dict.fromkeys(host for cell in cells for host in (cell.sender, cell.receiver)))
        act = (
            "look at what happened to it, then run it again"
            if lost
            else "install it (role acceptance), then run it again"
        )
        what = " and ".join(dict.fromkeys(cell.measure for cell in cells))
        many = f"{len(cells)} {what} measurement{'s' if len(cells) > 1 else ''}"
        text = f"{many} left out: {reason or f'no answer from {fold(lost)}'}"
        rails = ", ".join(f"rail {number}" for number in sorted({cell.rail for cell in cells}))
        rows.append(Finding(UNMEASURED, rails, text, act, hosts))
    return rows


def to_json(verdict: Verdict) -> dict[str, Any]:
    """Return the JSON form."""
    findings = [{**vars(row), "hosts": list(row.hosts)} for row in verdict.findings]
    return {"verdict": verdict.word, "counts": verdict.counts, "findings": findings}

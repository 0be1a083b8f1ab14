"""The figures of a sweep for people: senders down, receivers across; with many ports only those that are named.

It deliberately leaves a cell without a figure empty of any number: ``·`` was not measured, ``!`` marks what misses its
limit, and a path that was shown and not measured is ``✓``.
"""

from __future__ import annotations

import io
import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from raceway.model.pairwise import BANDWIDTH, LATENCY, MEASURES, REACH
from raceway.summary import fold

from .cells import LOW, NONE, OK, UNITS, Cell
from .model import Rail, Sweep

MOST_COLUMNS = 12  # as many figures as fit beside a name on a usual terminal
MOST_ROWS = 40  # of a summary; the file has them all
WIDTH = 120


def text(sweep: Sweep, cells: Sequence[Cell], named: Collection[str] = ()) -> str:
    """Return the tables of all rails and measures for a terminal. ``named``: hosts that get a line of their own."""
    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, no_color=True, highlight=False)
    for rail, measure, rows in _parts(sweep, cells):
        small = len(rail.ports) <= MOST_COLUMNS
        console.print(matrix(rail, measure, rows) if small else summary(rail, measure, rows, named))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def whole(sweep: Sweep, cells: Sequence[Cell]) -> str:
    """Return every figure, however wide that becomes: a file for a program that scrolls, or cuts columns."""
    lines: list[str] = []
    for rail, measure, rows in _parts(sweep, cells):
        names = [port.host for port in rail.ports]
        width = max(8, *(len(name) + 1 for name in names))
        known = _known(measure, rows)
        lines += [_title(rail, measure), "".join(f"{name:>{width}}" for name in ("from\\to", *names))]
        for sender in names:
            row = [_shown(known.get((sender, name)), sender == name) for name in names]
            lines.append("".join(f"{part:>{width}}" for part in (sender, *row)))
        lines.append("")
    return "\n".join(lines)


def _parts(sweep: Sweep, cells: Sequence[Cell]) -> Iterator[tuple[Rail, str, list[Cell]]]:
    rails = {rail.number: rail for rail in sweep.rails}
    groups: dict[tuple[int, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.rail, cell.measure), []).append(cell)
    for number, measure in sorted(groups, key=lambda key: (key[0], MEASURES.index(key[1]))):
        yield rails[number], measure, groups[number, measure]


def _known(measure: str, cells: Sequence[Cell]) -> dict[tuple[str, str], Cell]:
    known = {(cell.sender, cell.receiver): cell for cell in cells}
    if measure != BANDWIDTH:  # there and back: one figure stands for both
        known = {(cell.receiver, cell.sender): cell for cell in cells} | known
    return known


def matrix(rail: Rail, measure: str, cells: Sequence[Cell]) -> Table:
    """Return every figure of a rail."""
    table = _table(rail, measure)
    known = _known(measure, cells)
    table.add_column("from \\ to", no_wrap=True)
    for port in rail.ports:
        table.add_column(port.host, justify="right", no_wrap=True)
    for sender in rail.ports:
        row = [_shown(known.get((sender.host, port.host)), sender.host == port.host) for port in rail.ports]
        table.add_row(sender.host, *row)
    return table


def summary(rail: Rail, measure: str, cells: Sequence[Cell], named: Collection[str]) -> Table:
    """Return a line for each port that is named, those with most misses first, and one for all others together."""
    table = _table(rail, measure)
    for head in ("node", "sends: median", "receives: median", "worst", "misses", "not measured"):
        table.add_column(head, justify="left" if head == "node" else "right", no_wrap=True)
    wrong = Counter(host for cell in cells if cell.state != OK for host in {cell.sender, cell.receiver})
    odd = sorted((port.host for port in rail.ports if port.host in named), key=lambda host: (-wrong[host], host))
    for host in odd[:MOST_ROWS]:
        table.add_row(*_summed(host, [cell for cell in cells if host in (cell.sender, cell.receiver)], {host}))
    if len(odd) > MOST_ROWS:
        table.add_row(f"and {len(odd) - MOST_ROWS} more, see the file")
    others = [port.host for port in rail.ports if port.host not in named]
    apart = [cell for cell in cells if cell.sender not in named and cell.receiver not in named]
    if others:
        table.add_row(*_summed(f"{fold(others)}, among themselves", apart, set(others)))
    return table


def _summed(name: str, cells: Sequence[Cell], hosts: Collection[str]) -> list[str]:
    sent = [cell.value for cell in cells if cell.sender in hosts and cell.value is not None]
    got = [cell.value for cell in cells if cell.receiver in hosts and cell.value is not None]
    known = [cell.value for cell in cells if cell.value is not None]
    worst = "·" if not known else f"{(max if cells[0].measure == LATENCY else min)(known):.4g}"
    low, none = (sum(cell.state == state for cell in cells) for state in (LOW, NONE))
    return [name, _middle(sent), _middle(got), worst, str(low), str(none)]


def _middle(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.4g}" if values else "·"


def _table(rail: Rail, measure: str) -> Table:
    return Table(title=_title(rail, measure), title_justify="left", title_style="", header_style="", pad_edge=False)


def _title(rail: Rail, measure: str) -> str:
    return f"rail {rail.number}: {measure}, {UNITS[measure]}"


def _shown(cell: Cell | None, itself: bool) -> str:
    if itself:
        return ""
    if cell is None or cell.value is None:
        return "·"
    if cell.measure == REACH:
        return "✓"
    return f"{'!' if cell.state == LOW else ''}{cell.value:.4g}"

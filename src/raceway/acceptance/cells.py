"""What was measured, cell by cell: sender, receiver, figure, limit; a cell without a figure has its reason instead.

    bandwidth gpu01 → gpu02 on rail 0: 387.5 Gb/s, at least 360

It deliberately takes a figure from the sending end alone, and never puts a number where none was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raceway.model.pairwise import BANDWIDTH, LATENCY, REACH

from . import schedule
from .model import Port, Rail, Sweep, lacking, tool

OK, LOW, NONE = "ok", "low", "none"
UNITS = {BANDWIDTH: "Gb/s", LATENCY: "µs", REACH: "messages"}
Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Cell:
    """One measurement. ``limit``: least bandwidth, most latency; None: reaching is enough. ``tried``: a tool ran.

    ``lost``: ends that said nothing of it.
    """

    rail: int
    round: int
    measure: str
    sender: str
    receiver: str
    value: float | None
    limit: float | None
    reason: str = ""
    tried: bool = True
    tool: str = ""
    lost: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """``ok``, ``low`` (it misses the limit, too slow either way), ``none`` (not measured)."""
        if self.value is None:
            return NONE
        if self.limit is None:
            return OK
        return OK if (self.value <= self.limit if self.measure == LATENCY else self.value >= self.limit) else LOW

    @property
    def text(self) -> str:
        """The figure in words."""
        return "not measured" if self.value is None else f"{self.value:.4g} {UNITS[self.measure]}"


def cells(sweep: Sweep, rows: Rows) -> list[Cell]:
    """Return a cell for everything that was to be measured. ``rows``: host → what its node answered."""
    heard = {
        (host, row["rail"], row["round"], row["measure"], bool(row["sends"])): row
        for host, answers in rows.items()
        for row in answers
    }
    return [cell for rail in sweep.rails for cell in _rail(sweep, rail, heard)]


def _rail(sweep: Sweep, rail: Rail, heard: Mapping[Any, Mapping[str, Any]]) -> Iterator[Cell]:
    for number in range(rail.rounds):
        for one, other in schedule.pairs(len(rail.ports), number):
            caller, called = rail.ports[min(one, other)], rail.ports[max(one, other)]
            done = set()
            for wanted in sweep.settings.measures:
                measure, program = tool(sweep.settings, wanted, caller, called)
                if measure != wanted or not program:
                    # Neither silence nor a message that arrived is a bandwidth.
                    reason = lacking(sweep.settings, wanted, caller, called)
                    yield from _blank(sweep, rail, number, wanted, (caller, called), reason)
                if program and measure not in done:
                    done.add(measure)
                    ways = [(caller, called), (called, caller)] if measure == BANDWIDTH else [(caller, called)]
                    for way in ways:
                        yield _cell(sweep, (rail, number, measure, program), way, heard)


def _blank(sweep: Sweep, rail: Rail, number: int, measure: str, ends: tuple[Port, Port], reason: str) -> Iterator[Cell]:
    for sender, receiver in [ends, ends[::-1]] if measure == BANDWIDTH else [ends]:
        limit = limit_of(sweep, measure, sender, receiver)
        yield Cell(rail.number, number, measure, sender.host, receiver.host, None, limit, reason, tried=False)


def _cell(
    sweep: Sweep,
    what: tuple[Rail, int, str, str],
    way: tuple[Port, Port],
    heard: Mapping[Any, Mapping[str, Any]],
) -> Cell:
    rail, number, measure, program = what
    sender, receiver = way
    own = heard.get((sender.host, rail.number, number, measure, True))
    far = heard.get((receiver.host, rail.number, number, measure, False))
    value = own["value"] if own else None
    reason = ""
    lost: tuple[str, ...] = ()
    if value is None:
        lost = tuple(host for host, row in ((sender.host, own), (receiver.host, far)) if row is None)
        said = [f"{sender.host}: {own['problem']}"] if own and own["problem"] else []
        said += [f"{receiver.host}: {far['problem']}"] if far and far["problem"] else []
        reason = "; ".join([f"no answer from {' and '.join(lost)}"] if lost else said) or "the tool gave no figure"
    limit = limit_of(sweep, measure, sender, receiver)
    tried = value is not None or not lost
    return Cell(rail.number, number, measure, sender.host, receiver.host, value, limit, reason, tried, program, lost)


def limit_of(sweep: Sweep, measure: str, sender: Port, receiver: Port) -> float | None:
    """Return what a measure of this pair must come to; the slower end of a pair sets its bandwidth."""
    if measure == BANDWIDTH:
        return sweep.settings.fraction * min(sender.gbps, receiver.gbps)
    return sweep.settings.latency_us if measure == LATENCY else None

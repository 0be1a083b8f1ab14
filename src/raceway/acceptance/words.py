"""A sweep in words: what will be done and how long it takes, and what came of it.

It deliberately says a duration as what it is, a lower bound: nodes that are waited for add to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceway.summary import fold

from . import schedule
from .model import Rail, Sweep, slots
from .verdict import Verdict

SHOWN = 8  # pairs of a round; the rest is counted


def plan(sweep: Sweep) -> list[str]:
    """Return what a sweep does, a line a fact."""
    ports = sum(len(rail.ports) for rail in sweep.rails)
    each = ", ".join(dict.fromkeys(measure for measure, _ in slots(sweep.settings)))
    rows = [
        f"{ports} ports of {len(sweep.hosts)} nodes on {_many(len(sweep.rails), 'rail')}: {sweep.pairs} pairs in "
        f"{_many(sweep.rounds, 'round')}, about {duration(sweep.rounds * sweep.round_s)} or more",
        f"each pair: {each}; {sweep.settings.transport}, {sweep.settings.seconds} s a bandwidth, in both directions",
    ]
    rows += [f"rail {rail.number}: {_rail(rail)}" for rail in sweep.rails]
    return rows + [f"left out: {one.name}: {one.reason}; next: {one.act}" for one in sweep.left_out]


def rounds(sweep: Sweep, most: int = 0, every: bool = False) -> Iterator[str]:
    """Yield the pairs of each round. ``most``: rounds that are shown, 0 is all; ``every``: all pairs of each."""
    for rail in sweep.rails:
        names = [port.host for port in rail.ports]
        for number in range(min(most, rail.rounds) if most else rail.rounds):
            met = schedule.pairs(len(names), number)
            shown = met if every else met[:SHOWN]
            texts = [f"{names[min(pair)]}–{names[max(pair)]}" for pair in shown]
            rest = f" and {len(met) - len(shown)} more" if len(met) > len(shown) else ""
            resting = sorted(set(range(len(names))) - {one for pair in met for one in pair})
            rest += f"; {names[resting[0]]} has a rest" if resting else ""
            yield f"rail {rail.number} round {number + 1}: {', '.join(texts)}{rest}"
        if most and rail.rounds > most:
            yield f"rail {rail.number}: {rail.rounds - most} more rounds"


def result(sweep: Sweep, verdict: Verdict) -> str:
    """Return the verdict in one line."""
    counts = verdict.counts
    parts = [f"{counts['ok']} measurements pass", f"{counts['low']} miss their limit", f"{counts['none']} not measured"]
    return f"{verdict.word}: {', '.join(parts)}; {_many(len(sweep.hosts), 'node')}"


def duration(seconds: float) -> str:
    """Return a time in the unit people would say it in.

    >>> duration(45), duration(600), duration(30000)
    ('45 s', '10 min', '8.3 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def progress(first: int, end: int, rounds_of_all: int, rows: Sequence[dict[str, object]]) -> str:
    """Return how a block of rounds went on one node, in words that are equal on nodes that fared alike."""
    lost = sum(bool(row["problem"]) for row in rows)
    span = f"round {first + 1}" if end - first == 1 else f"rounds {first + 1} to {end}"
    return f"{span} of {rounds_of_all}: " + (f"{_many(lost, 'measurement')} failed" if lost else "measured")


def _rail(rail: Rail) -> str:
    whole = schedule.rounds(len(rail.ports))
    few = f", {rail.rounds} of {whole} rounds: not every pair meets" if rail.rounds < whole else ""
    odd = ", one has a rest in each round" if len(rail.ports) % 2 else ""
    return (
        f"{len(rail.ports)} ports ({fold(port.host for port in rail.ports)}), {_many(rail.rounds, 'round')}{odd}{few}"
    )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

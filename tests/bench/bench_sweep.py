"""How long it takes to plan who meets whom, and how many rounds come out: the tournament beside three usual ways.

Run with ``python -m tests.bench.bench_sweep [--json FILE]``. *Sequence* is a loop over all pairs, a round each;
*greedy* puts each pair into the first round in which both ports are free; *matching* fills one round after the other
with pairs that are still to do. All are as short as they can be written, without a library of graphs. Every schedule is
checked: each pair once, no port twice in a round. The last two have no figure where one run would take minutes: nothing
is estimated. It deliberately measures the planning alone,
in one process, with the garbage collector as it is; each way and size runs three times, the fastest counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from raceway.acceptance.schedule import tournament

from . import table

# By chance greedy schedules of a power of two are as good as can be; other numbers of ports show how they usually are.
SIZES = (64, 100, 250, 500, 4095, 4096)
LARGEST = {"greedy": 500, "matching": 500}
REPEATS = 3
Rounds = Iterable[list[tuple[int, int]]]


def sequence(count: int) -> Rounds:
    """Yield rounds of one pair each."""
    return ([pair] for pair in itertools.combinations(range(count), 2))


def greedy(count: int) -> Rounds:
    """Return rounds: each pair goes into the first one in which neither of its ports is."""
    rounds: list[list[tuple[int, int]]] = []
    busy: list[set[int]] = []
    for pair in itertools.combinations(range(count), 2):
        for met, taken in zip(rounds, busy, strict=True):
            if taken.isdisjoint(pair):
                met.append(pair)
                taken.update(pair)
                break
        else:
            rounds.append([pair])
            busy.append(set(pair))
    return rounds


def matching(count: int) -> Rounds:
    """Yield rounds: each takes from the pairs that are left whatever still fits."""
    left = list(itertools.combinations(range(count), 2))
    while left:
        taken: set[int] = set()
        met, rest = [], []
        for pair in left:
            if taken.isdisjoint(pair):
                taken.update(pair)
                met.append(pair)
            else:
                rest.append(pair)
        yield met
        left = rest


WAYS: dict[str, Callable[[int], Rounds]] = {
    "tournament": tournament,
    "sequence": sequence,
    "greedy": greedy,
    "matching": matching,
}


def check(way: str, count: int) -> int:
    """Return the number of rounds; fails where a pair is missing or a port is used twice at once."""
    seen = bytearray(count * count)
    number = pairs = 0
    for number, met in enumerate(WAYS[way](count), 1):
        used = {one for pair in met for one in pair}
        if len(used) != 2 * len(met):
            raise SystemExit(f"{way}, {count} ports: round {number} uses a port twice")
        for one, other in met:
            seen[min(one, other) * count + max(one, other)] = 1
        pairs += len(met)
    if not pairs == sum(seen) == count * (count - 1) // 2:
        raise SystemExit(f"{way}, {count} ports: {sum(seen)} of {count * (count - 1) // 2} pairs meet")
    return number


def measure(way: str, count: int) -> dict[str, Any]:
    """Return seconds (the fastest of three) and rounds of one way; every pair of every round is made."""
    runs = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        made = sum(len(met) for met in WAYS[way](count))
        runs.append(time.perf_counter() - start)
        assert made == count * (count - 1) // 2
    return {"way": way, "ports": count, "seconds": min(runs), "slowest": max(runs), "rounds": check(way, count)}


def main() -> None:
    """Measure, print the table, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ports", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON too")
    args = parser.parse_args()
    work = [(way, size) for size in args.ports for way in WAYS if size <= LARGEST.get(way, size)]
    console = Console(stderr=True)
    rows = [measure(*one) for one in track(work, description="schedules", console=console, transient=True)]
    result = {"bench": "sweep", "versions": {"python": platform.python_version()}, "rows": rows}
    print(table.sweep(result))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Which end explains the bad cells of one rail: a port that is bad with nearly everybody, else the path of one pair.

An end is a port as sender, as receiver, or as both. The end whose cells are worst is taken first and its cells are put
aside; what is left is looked at anew. So the partners of a bad port are not blamed for it, and one slow pair among good
ones is a path. Where two ends explain the same cells none is taken: one pair cannot tell which of its two nodes it is.

It deliberately knows no number of Gb/s: whoever asks has judged the cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .cells import Cell

SENDS, RECEIVES, BOTH = "sends", "receives", "both"
MOST = 0.5  # more than so much of an end's cells must be bad
LEAST = 2  # and at least so many: one cell has two ends


@dataclass(frozen=True, order=True)
class End:
    """A port of the rail, by its host, and in which role it is looked at."""

    host: str
    role: str


@dataclass(frozen=True)
class Blame:
    """``ends``: each with the bad cells it explains and how many it has. ``paths``: cells that no end explains."""

    ends: tuple[tuple[End, tuple[Cell, ...], int], ...]
    paths: tuple[Cell, ...]


def blame(cells: Iterable[Cell], bad: Collection[Cell], directed: bool = True) -> Blame:
    """Return who explains the bad cells of one rail and measure. ``directed``: a cell has a direction."""
    groups: dict[End, list[Cell]] = {}
    for cell in cells:
        for end in _ends(cell, directed):
            groups.setdefault(end, []).append(cell)
    wrong, gone = set(bad), set[Cell]()
    total = {end: len(group) for end, group in groups.items()}
    count = Counter(end for cell in wrong for end in _ends(cell, directed))
    found = []
    while wrong:
        best = _worst(total, count)
        if best is None:
            break
        explained = [cell for cell in groups[best] if cell in wrong]
        shared = Counter(end for cell in explained for end in _ends(cell, directed))
        if any(
            _enough(total[end], count[end])
            for end, n in shared.items()
            if end.host != best.host and n == len(explained)
        ):
            break
        found.append((best, tuple(sorted(explained, key=_order)), total[best]))
        for cell in groups[best]:
            if cell in gone:
                continue
            gone.add(cell)
            for end in _ends(cell, directed):
                total[end] -= 1
                count[end] -= cell in wrong
            wrong.discard(cell)
    return Blame(tuple(found), tuple(sorted(wrong, key=_order)))


def _worst(total: Mapping[End, int], count: Mapping[End, int]) -> End | None:
    """Return the end that is worst by share, then by number, where it is bad enough to be named."""
    ranked = (
        (-number / total[end], -number, end.host, end.role, end)
        for end, number in count.items()
        if number and _enough(total[end], number)
    )
    return min(ranked, default=(None,))[-1]


def _enough(total: int, number: int) -> bool:
    return number >= LEAST and number > MOST * total


def _ends(cell: Cell, directed: bool) -> tuple[End, ...]:
    both = (End(cell.sender, BOTH), End(cell.receiver, BOTH))
    return (*both, End(cell.sender, SENDS), End(cell.receiver, RECEIVES)) if directed else both


def _order(cell: Cell) -> tuple[str, str]:
    return cell.sender, cell.receiver

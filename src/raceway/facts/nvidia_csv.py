"""What ``nvidia-smi --query-gpu=… --format=csv`` says, with or without its heading and units.

    index, name, memory.total [MiB], clocks.current.sm [MHz]
    0, NVIDIA H100 80GB HBM3, 81559 MiB, 1980 MHz
    1, NVIDIA H100L-2-24C, 24576 MiB, [N/A]

It deliberately keeps every row and every cell: what is no number keeps its token, and says whether the GPU does not
have the value (``[N/A]``, ``[Not Supported]``) or could not read it (``[Unknown Error]``, ``ERR!``). Neither is a
number, so neither can be above or below a threshold (HSF/prmon#318, enkore/i3pystatus#776).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import List, Mapping, Optional, Sequence, Tuple

from .reading import decimal, joined
from .verdict import ERROR, ended, problem

NAME = re.compile(r"([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?: \[([^\]]+)\])?$")
AMOUNT = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: ?([A-Za-z%][A-Za-z/%]*))?$")
ABSENT = frozenset({"", "[n/a]", "n/a", "[not supported]", "not supported"})
FAILED = re.compile(r"\[?(unknown error|gpu is lost|gpu requires reset|insufficient permissions|err!?)", re.IGNORECASE)


@dataclass(frozen=True)
class Cell:
    """One value. ``raw``: the token; ``number``: in ``unit`` or None; ``state``: known, absent or failed."""

    raw: str
    number: Optional[float] = None
    unit: str = ""
    state: str = "known"


@dataclass(frozen=True)
class Gpu:
    """One row: cells by field name. ``label``: what messages call it, its index or else its place from 0."""

    label: str
    cells: Mapping[str, Cell] = field(default_factory=dict)

    def number(self, name: str) -> Optional[float]:
        """Return a field's number, None where the field is not there or is no number."""
        cell = self.cells.get(name)
        return cell.number if cell else None


@dataclass(frozen=True)
class Query:
    """All rows. ``fields``: names without units; ``column 1`` … where there is no heading to name them."""

    fields: Tuple[str, ...] = ()
    gpus: Tuple[Gpu, ...] = ()
    problem: str = ""


def parse(text: str, names: Sequence[str] = ()) -> Query:
    """Read the whole output; ``names``: the fields that were asked for, needed with ``noheader`` alone."""
    shown, half = ended(text)
    heading = [NAME.match(cell) for cell in _split(shown[0])] if shown else []
    headed = bool(heading) and all(heading)
    if headed:
        names = [one[1] for one in heading if one]
    units = [one[2] or "" for one in heading if one] if headed else []
    tables = [(line, _split(line)) for line in shown[headed:]]
    names = tuple(names) or tuple(f"column {number}" for number in _columns(tables))
    rows: List[List[str]] = []
    rest: List[str] = []
    for line, row in tables:
        if _is_row(line, row, bool(units), len(names)):
            rows.append(row)
        else:
            rest.append(line)
    gpus = tuple(_gpu(row, names, units, place) for place, row in enumerate(rows))
    odd = [
        f"GPU {gpu.label}: {len(row)} of {len(names)} cells" for gpu, row in zip(gpus, rows) if len(row) != len(names)
    ]
    empty = "a heading and no GPU" if headed and not gpus and not rest and not half else ""
    return Query(
        names, gpus, joined(empty or problem("nvidia-smi --query-gpu", bool(gpus), rest, odd, half), *_failed(gpus))
    )


def _split(line: str) -> List[str]:
    return [cell.strip() for cell in line.split(",")]


def _columns(tables: Sequence[Tuple[str, List[str]]]) -> range:
    return range(1, max((len(row) for line, row in tables if _is_row(line, row, False, 0)), default=0) + 1)


def _is_row(line: str, row: List[str], headed: bool, width: int) -> bool:
    """Return whether a line is a GPU's: an error is one cell, and prose has no number and no token of nvidia-smi."""
    if ERROR.search(line) or (len(row) == 1 and width > 1):
        return False
    return headed or any(cell.number is not None or cell.state != "known" for cell in (_cell(one, "") for one in row))


def _gpu(row: List[str], names: Sequence[str], units: Sequence[str], place: int) -> Gpu:
    if len(row) > len(names):
        return Gpu(str(place))  # a comma inside a value: which cell is which is not known
    paired = zip(names, row, units or [""] * len(names))
    cells = {name: _cell(text, unit) for name, text, unit in paired}
    index = cells.get("index")
    return Gpu(index.raw if index else str(place), cells)


def _failed(gpus: Sequence[Gpu]) -> List[str]:
    rows = [(gpu.label, name, cell) for gpu in gpus for name, cell in gpu.cells.items()]
    return [f"GPU {label}: {name}: {cell.raw}" for label, name, cell in rows if cell.state == "failed"]


def _cell(text: str, unit: str) -> Cell:
    found = AMOUNT.match(text)
    if found:
        return Cell(text, decimal(found[1]), found[2] or unit)
    state = "absent" if text.lower() in ABSENT else "failed" if FAILED.match(text) else "known"
    return Cell(text, unit=unit, state=state)

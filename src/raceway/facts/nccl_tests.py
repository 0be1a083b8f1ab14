"""Results of nccl-tests (``all_reduce_perf`` and its sisters): the table on the terminal, and the file of ``-J``.

Three lines of a table::

    #     size       count   type  redop  root    time  algbw  busbw #wrong    time  algbw  busbw #wrong
    1073741824   268435456  float    sum    -1  5432.1 197.67 370.63      0  5420.3 198.10 371.43      0
    # Out of bounds values : 0 OK

The numbers of errors are what makes a bandwidth worth anything: ``N/A``, and a run with ``-c 0``, are not 0 errors.
It deliberately does not believe a table without its last lines: such a run was killed or has crashed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .reading import Row as Entry
from .reading import cut_rows, decimal, is_json, joined, lines, not_output_of, number, quote, switch

_MPI_TAG = re.compile(r"^\[\d+,\d+\]<std(?:out|err)>:\s?")
_ERROR = re.compile(
    r"Test (?:NCCL|CUDA) failure|: Test failure|Invalid number of GPUs|NCCL failure|mpirun (?:noticed|was)"
)
_BOUNDS = re.compile(r"^#\s*Out of bounds values\s*:\s*(\d+)\s*(\w*)")
_AVERAGE = re.compile(r"^#\s*Avg bus bandwidth\s*:\s*(\S+)\s*(\w*)")
_VALIDATION = re.compile(r"\bvalidation:\s*(\d+)")
_LIBRARY = re.compile(r"nccl-library=(\d+)")
_HEADER = re.compile(r"^#\s+size\s+count\s+type\b.*\bbusbw\b")
_STAMP = re.compile(r"\s+\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$")
_FIRST_CELLS = re.compile(r"^\s*\d+\s+\d+\s+[a-z]")
_NO_END = "the last lines are missing: the run did not end"


@dataclass(frozen=True)
class Measure:
    """Time in microseconds, bandwidths in GB/s (10^9 bytes); ``wrong``: wrong elements, None where not checked."""

    time_us: Optional[float]
    algbw_gbs: Optional[float]
    busbw_gbs: Optional[float]
    wrong: Optional[int] = None


@dataclass(frozen=True)
class Row:
    """One message size. A measure is None where that way was not run."""

    size_bytes: int
    count: int
    kind: str
    out_of_place: Optional[Measure] = None
    in_place: Optional[Measure] = None


@dataclass(frozen=True)
class NcclTestsFacts:
    """Rows by size as printed. ``out_of_bounds``: wrong values of the run, None where the run did not check or end.

    ``average_ok``: whether the average reached the limit that was asked for, None where none was.
    """

    rows: Tuple[Row, ...] = ()
    out_of_bounds: Optional[int] = None
    average_busbw_gbs: Optional[float] = None
    average_ok: Optional[bool] = None
    library: Optional[int] = None
    problem: str = ""

    @property
    def correct(self) -> Optional[bool]:
        """Whether the results were right: None where nobody checked."""
        counts = [measure.wrong for row in self.rows for measure in (row.out_of_place, row.in_place) if measure]
        if self.out_of_bounds or any(counts):
            return False
        return None if self.out_of_bounds is None else True

    @property
    def peak_busbw_gbs(self) -> Optional[float]:
        """The highest bus bandwidth of all rows."""
        measures = [measure for row in self.rows for measure in (row.out_of_place, row.in_place) if measure]
        return max((one.busbw_gbs for one in measures if one.busbw_gbs is not None), default=None)


def parse(text: str) -> NcclTestsFacts:
    """Return the results of either form."""
    return _from_json(text) if is_json(text) and not _MPI_TAG.match(text.lstrip()) else _from_table(text)


def _from_table(text: str) -> NcclTestsFacts:
    table = _Table()
    problems = [table.take(_MPI_TAG.sub("", line)) for line in lines(text)]
    if not table.columns and not any(problems):
        return NcclTestsFacts(problem=not_output_of("nccl-tests", text))
    if table.bounds is None or table.average is None:
        problems.append(_NO_END)
        # Cut between its halves, a last line would look like one of a test that runs in place only.
        if table.rows and table.rows[-1].out_of_place is None:
            table.rows.pop()
    if not table.rows:
        problems.append("no row was measured")
    library = _LIBRARY.search(text)
    return NcclTestsFacts(
        tuple(table.rows),
        table.bounds if table.validated and not table.unchecked else None,
        table.average,
        table.average_ok,
        int(library[1]) if library else None,
        joined(*problems),
    )


class _Table:
    """What the lines of a table gave so far."""

    def __init__(self) -> None:
        self.columns: List[str] = []
        self.rows: List[Row] = []
        self.bounds: Optional[int] = None
        self.average: Optional[float] = None
        self.average_ok: Optional[bool] = None
        self.validated = True

    @property
    def unchecked(self) -> bool:
        """Whether a table that counts wrong elements has not one count: its "0 OK" below is no result."""
        halves = [half for row in self.rows for half in (row.out_of_place, row.in_place) if half]
        return "#wrong" in self.columns and all(half.wrong is None for half in halves)

    def take(self, line: str) -> str:
        """Take one line, and return what is wrong with it."""
        end, mean = _BOUNDS.match(line), _AVERAGE.match(line)
        if _HEADER.match(line):
            self.columns = line.lstrip("#").split()
        elif end:
            self.bounds = int(end[1])
        elif mean:
            self.average = decimal(mean[1])
            self.average_ok = {"OK": True, "FAILED": False}.get(mean[2])
        elif line.startswith("#"):
            checked = _VALIDATION.search(line)
            self.validated = self.validated and (checked is None or checked[1] != "0")
        elif _ERROR.search(line):
            return quote(line)
        elif self.columns and _FIRST_CELLS.match(line):
            row = self._row(line)
            if row is None:
                return f"a row that is cut off or damaged: {quote(line)}"
            self.rows.append(row)
        return ""

    def _row(self, line: str) -> Optional[Row]:
        """Return one line of the table; a line without its first half is of a test that runs in place only."""
        columns = [name for name in self.columns if name != "timestamp"]
        words = (_STAMP.sub("", line) if len(columns) < len(self.columns) else line).split()
        # Before nccl-tests 2.13 the last column of a half is not a count but a difference, called "error".
        counted = "#wrong" in columns
        if len(words) not in (len(columns), len(columns) - 4):
            return None
        out = _measure(words[-8:-4], counted) if len(words) == len(columns) else None
        inside = _measure(words[-4:], counted)
        return Row(int(words[0]), int(words[1]), words[2], out, inside) if out or inside else None


def _measure(words: List[str], counted: bool) -> Optional[Measure]:
    time, algbw, busbw = (decimal(word) for word in words[:3])
    wrong = decimal(words[3])  # printed as %g: a large count is 1.2e+06
    if time is None:
        return None
    return Measure(time, algbw, busbw, int(wrong) if counted and wrong is not None else None)


def _from_json(text: str) -> NcclTestsFacts:
    try:
        data: Any = json.loads(text)
        problem = ""
    except ValueError:
        start = text.find('"results"')
        data = {"results": cut_rows(text, text.find("[", start)) if start >= 0 else []}
        problem = f"the JSON is cut off or damaged; {_NO_END}"
    if not isinstance(data, dict) or not isinstance(data.get("results"), list):
        return NcclTestsFacts(problem=not_output_of("nccl-tests", text))
    entries = [_json_row(row) for row in data["results"] if isinstance(row, dict)]
    rows = [row for row in entries if row]
    bounds, average = _object(data, "out_of_bounds"), _object(data, "average_bus_bandwidth")
    checked = _object(data, "config").get("validation") != 0
    missing = "" if problem or (bounds and average) else _NO_END
    return NcclTestsFacts(
        tuple(rows),
        number(bounds.get("count")) if checked else None,
        decimal(average.get("bandwidth")),
        switch(average.get("okay")),
        number(data.get("nccl_version")),
        joined(
            problem,
            missing,
            "" if rows else "no row was measured",
            "" if len(rows) == len(entries) else f"{len(entries) - len(rows)} rows without a size",
        ),
    )


def _object(data: Dict[str, Any], key: str) -> Dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _json_row(row: Entry) -> Optional[Row]:
    size, count = number(row.get("size")), number(row.get("count"))
    if size is None or count is None:
        return None
    out, inside = (_json_measure(row.get(way)) for way in ("out_of_place", "in_place"))
    return Row(size, count, str(row.get("type", "")), out, inside)


def _json_measure(found: Any) -> Optional[Measure]:
    if not isinstance(found, dict):
        return None
    wrong = decimal(found.get("nwrong"))
    time = found.get("time", found.get("cpu_time"))
    bandwidths = decimal(found.get("alg_bw")), decimal(found.get("bus_bw"))
    return Measure(decimal(time), *bandwidths, None if wrong is None else int(wrong))

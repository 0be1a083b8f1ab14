"""Result tables of perftest: ``ib_write_bw``, ``ib_read_bw``, ``ib_send_bw`` and their ``_lat`` sisters.

A bandwidth table, and the left half of a latency table::

     #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
     65536      20000            0.00               387.46             0.739021
     #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]
     2       1000          1.02           4.51         1.05               1.06

A peak of 0.00 is a peak that was not measured (runs by duration, or many queue pairs). ``MB/sec`` are mebibytes.
It deliberately takes columns by their headings, not by their places: the heading differs between versions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .reading import decimal, joined, lines, not_output_of, number, quote

_COLUMN = re.compile(
    r"#bytes|#sl\b|#iterations|BW (?:peak|average|Port\d)\s*\[[^\]]+\]|MsgRate(?: Port\d)?\s*\[[^\]]+\]"
    r"|t_(?:min|max|typical|avg|stdev)\s*\[[^\]]+\]|99(?:\.9)?% percentile\s*\[[^\]]+\]"
    r"|tps average|CPU_Util\s*\[[^\]]+\]"
)
# Gigabits per second in one unit of a heading.
_GBPS = {"Gb/sec": 1.0, "MB/sec": 8 * 2**20 / 1e9, "MiB/sec": 8 * 2**20 / 1e9}
_NUMBERS = re.compile(r"^\s*\d+(?:\s+[-\w.,]+)+\s*$")
_FACT = re.compile(r"([A-Z][\w .*()]*?)\s*:\s+(\S+)(?:\s\s|\t|$)")
_TITLE = re.compile(r"^\s+(\S.*(?:BW|Latency|Rate) Test)\s*$")
_ERROR = re.compile(
    r"Couldn't|Could not|Cannot|Can't|Failed|[Ff]ailure|Unable to|Completion with error|wasn't found|not found"
    r"|No IB devices|Invalid|Unexpected|timed? ?out|ERROR|requested mtu is higher|only supported"
)
_FREQUENCY = "CPU Frequency"  # a warning of nearly every run, and no failure


@dataclass(frozen=True)
class Bandwidth:
    """One row, in Gb/s (10^9 bits) and millions of messages a second; None: not measured."""

    size_bytes: int
    iterations: int
    average_gbps: Optional[float]
    peak_gbps: Optional[float] = None
    messages_mps: Optional[float] = None


@dataclass(frozen=True)
class Latency:
    """One row, in microseconds; None: not measured in this kind of run."""

    size_bytes: int
    iterations: int
    average_us: Optional[float] = None
    min_us: Optional[float] = None
    max_us: Optional[float] = None
    typical_us: Optional[float] = None
    stdev_us: Optional[float] = None
    p99_us: Optional[float] = None
    p999_us: Optional[float] = None


@dataclass(frozen=True)
class PerftestFacts:
    """What was run and measured. No rows always come with a problem: a test that measured nothing has not passed."""

    test: str = ""
    device: str = ""
    link_type: str = ""
    mtu: Optional[int] = None
    gid_index: Optional[int] = None
    queue_pairs: Optional[int] = None
    bandwidth: Tuple[Bandwidth, ...] = ()
    latency: Tuple[Latency, ...] = ()
    problem: str = ""


def parse(text: str) -> PerftestFacts:
    """Return the rows of every table in the text, and each line that tells of a failure."""
    columns: List[str] = []
    bandwidth: List[Bandwidth] = []
    latency: List[Latency] = []
    facts: Dict[str, str] = {}
    errors: List[str] = []
    test = ""
    for line in lines(text):
        title = _TITLE.match(line)
        if line.lstrip().startswith("#bytes"):
            columns = _COLUMN.findall(line)
        elif columns and _NUMBERS.match(line):
            errors.append(_take(columns, line.split(), bandwidth, latency))
        elif title:
            test = title[1]
        elif _ERROR.search(line) and _FREQUENCY not in line:
            errors.append(quote(line))
        else:
            facts.update({key.strip(): value for key, value in _FACT.findall(line) if not columns})
    if not bandwidth and not latency:
        seen = test or columns or facts or any(errors)
        errors.append("the test ended without a result" if seen else not_output_of("perftest", text))
    return PerftestFacts(
        test,
        facts.get("Device", ""),
        facts.get("Link type", ""),
        number(facts.get("Mtu", "").split("[")[0]),
        number(facts.get("GID index")),
        number(facts.get("Number of qps")),
        tuple(bandwidth),
        tuple(latency),
        joined(*errors),
    )


def _take(columns: List[str], words: List[str], bandwidth: List[Bandwidth], latency: List[Latency]) -> str:
    """Add one row to the table it belongs to, or tell why it cannot be read."""
    row = dict(zip(columns, words))
    size, iterations = number(row.get("#bytes")), number(row.get("#iterations"))
    if len(words) != len(columns) or size is None or iterations is None or None in map(decimal, words):
        return f"a row that is cut off or damaged: {' '.join(words)}"
    if any(column.startswith("BW average") for column in columns):
        # An average of 0.00 would be a stopped port; a peak of 0.00 is only not measured.
        peak, average = _rate(row, "BW peak") or None, _rate(row, "BW average")
        bandwidth.append(Bandwidth(size, iterations, average, peak, _value(row, "MsgRate")))
        return "" if average is not None else f"the unit of {columns[-2]} is not known"
    if not any("[usec]" in column for column in columns):
        return "the latencies are not in microseconds: run without --report-cycles"
    latency.append(
        Latency(
            size,
            iterations,
            _value(row, "t_avg"),
            _value(row, "t_min"),
            _value(row, "t_max"),
            _value(row, "t_typical"),
            _value(row, "t_stdev"),
            _value(row, "99%"),
            _value(row, "99.9%"),
        )
    )
    return ""


def _value(row: Dict[str, str], heading: str) -> Optional[float]:
    return next((decimal(value) for column, value in row.items() if re.match(rf"{heading}[\s\[]", column)), None)


def _rate(row: Dict[str, str], heading: str) -> Optional[float]:
    for column, value in row.items():
        found = decimal(value)
        if column.startswith(heading) and found is not None:
            factor = _GBPS.get(column.partition("[")[2].rstrip("]"))
            return None if factor is None else found * factor
    return None

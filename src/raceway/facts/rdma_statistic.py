"""What ``rdma -j statistic show`` says, and its text forms: the hardware counters of each RDMA port.

Text, text of ``-p`` (one counter a line), and JSON::

    link mlx5_0/1 rx_write_requests 0 out_of_sequence 17 np_cnp_sent 123456789012
    link mlx5_0/1
        out_of_sequence 17
    [{"ifname":"mlx5_0","port":1,"rx_write_requests":0,"out_of_sequence":17}]

A counter a port does not have may be printed as ``N/A (no PMA)``: it is None, because 0 would say that all is well.
It deliberately judges no value: only the difference of two readings says anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .natural import natural
from .reading import is_json, joined, json_rows, lines, not_output_of, number, quote

_ROW = re.compile(r"^link\s+(?P<device>[^\s/]+)/(?P<port>\d+)(?:\s+(?P<rest>.*))?$")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_ABSENT = re.compile(r"N/A(?:\s*\([^)]*\))?")
_COUNTER = re.compile(rf"({_NAME.pattern})\s+([0-9]+|{_ABSENT.pattern})(?=\s|$)")
# Keys of an entry that are no counter.
_NOT_COUNTERS = ("ifindex", "ifname", "port", "cntn", "lqpn", "mrn", "pid", "comm", "qp-type")


@dataclass(frozen=True)
class PortCounters:
    """The counters of one port by name; None: the port does not have it."""

    device: str
    port: int
    values: Mapping[str, Optional[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The port as ``device/port``."""
        return f"{self.device}/{self.port}"

    @property
    def absent(self) -> Tuple[str, ...]:
        """The counters that were printed without a number."""
        return tuple(sorted(name for name, value in self.values.items() if value is None))


@dataclass(frozen=True)
class RdmaStatisticFacts:
    """Ports in natural order. No ports and no problem: no port has hardware counters."""

    ports: Tuple[PortCounters, ...] = ()
    problem: str = ""


def parse(text: str) -> RdmaStatisticFacts:
    """Return the counters of any of the forms."""
    found, problems = _from_json(text) if is_json(text) else _from_text(text)
    ports = sorted(found, key=lambda port: (natural(port.device), port.port))
    problems += [f"{port.name}: no counter was printed" for port in ports if not port.values]
    return RdmaStatisticFacts(tuple(ports), joined(*problems))


def _from_json(text: str) -> Tuple[List[PortCounters], List[str]]:
    ports: List[PortCounters] = []
    rows, problem = json_rows(text)
    problems = [problem]
    for row in rows:
        port = number(row.get("port"))
        if not row.get("ifname") or port is None:
            problems.append("an entry without device and port")
            continue
        values = {key: number(value) for key, value in row.items() if key not in _NOT_COUNTERS and _plain(value)}
        ports.append(PortCounters(str(row["ifname"]), port, values))
    return ports, problems


def _plain(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _from_text(text: str) -> Tuple[List[PortCounters], List[str]]:
    ports: List[Tuple[str, int, Dict[str, Optional[int]]]] = []
    problems: List[str] = []
    for line in lines(text):
        row = _ROW.match(line)
        if row:
            ports.append((row["device"], int(row["port"]), {}))
            rest = row["rest"] or ""
        elif ports and line.startswith((" ", "\t")):
            rest = line.strip()
        else:
            problems.append(f"not understood: {quote(line)}")
            continue
        values, left = _counters(rest)
        ports[-1][2].update(values)
        if left:
            problems.append(f"{ports[-1][0]}/{ports[-1][1]}: cut off at {quote(left)}")
    if not ports:
        return [], [not_output_of("rdma statistic show", text)]
    return [PortCounters(*port) for port in ports], problems


def _counters(rest: str) -> Tuple[Dict[str, Optional[int]], str]:
    """Return the pairs of a line, and what is left of it that is no pair."""
    values = {match[1]: number(match[2]) for match in _COUNTER.finditer(rest)}
    return values, " ".join(_COUNTER.sub("", rest).split())

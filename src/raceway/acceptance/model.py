"""A sweep as data: settings that hold for all of it, the ports of each rail, and what was left out with its reason.

    Sweep → rails → ports; a block is a run of rounds that one call of each node carries out

It deliberately keeps no list of pairs: they follow from the number of ports, see ``schedule``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from raceway.model.pairwise import BANDWIDTH, LATENCY, RDMA, REACH, TOOLS

from . import schedule

FORMAT = 1
# Seconds a measurement takes besides the seconds it measures: finding each other, opening devices, closing. Measured
# between two emulated machines; real ones take a second less.
SETUP_S = 2
LATENCY_S = 1
BLOCK_S = 30  # a line of progress about so often
MOST_BLOCKS = 60  # each block costs one call of every node


@dataclass(frozen=True)
class Settings:
    """What is declared once for the whole sweep. ``fraction``: of line rate that passes; ``latency_us``: one way.

    ``seconds``: of each bandwidth measurement; ``rounds``: most of each rail, 0 is all; ``traffic_class``: the ToS byte
    of RDMA, -1 none; ``port_base``: first of the TCP ports that are used, two hundred for meeting, two for measuring.
    """

    transport: str = RDMA
    measures: tuple[str, ...] = (BANDWIDTH, LATENCY)
    fraction: float = 0.9
    latency_us: float = 5.0
    seconds: int = 2
    message_bytes: int = 65536
    queue_pairs: int = 4
    rounds: int = 0
    rails_together: bool = True
    traffic_class: int = -1
    port_base: int = 18600
    patience_s: int = 30


@dataclass(frozen=True)
class Port:
    """One port of the sweep; ``gbps`` is the declared line rate, everything from ``interface`` on was found there."""

    host: str
    rail: int
    address: str
    gbps: float
    interface: str = ""
    device: str = ""
    ib_port: int = 1
    gid_index: int = -1
    rate_gbps: float | None = None
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The port in words that name the node and the rail."""
        return f"{self.host} rail {self.rail}"


@dataclass(frozen=True)
class LeftOut:
    """A declared port that is not measured, why, and what to do."""

    name: str
    reason: str
    act: str


@dataclass(frozen=True)
class Rail:
    """The ports of one rail, each numbered in the tournament by its place. ``offset``: the rail's first round."""

    number: int
    ports: tuple[Port, ...]
    rounds: int
    offset: int = 0


@dataclass(frozen=True)
class Sweep:
    """Everything that is decided before the first measurement."""

    settings: Settings
    rails: tuple[Rail, ...]
    left_out: tuple[LeftOut, ...] = ()
    run: str = ""
    hosts: tuple[str, ...] = field(default_factory=tuple)

    @property
    def ports(self) -> Iterator[Port]:
        """Every port."""
        return (port for rail in self.rails for port in rail.ports)

    @property
    def rounds(self) -> int:
        """Rounds from the first to the last, of all rails."""
        return max((rail.offset + rail.rounds for rail in self.rails), default=0)

    @property
    def pairs(self) -> int:
        """Pairs that meet."""
        return sum(rail.rounds * (len(rail.ports) // 2) for rail in self.rails)

    @property
    def round_s(self) -> int:
        """Seconds one round takes where nobody has to be waited for."""
        return sum(seconds for _, seconds in slots(self.settings))

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Rounds that one call carries out, as (first, behind the last)."""
        least = -(-self.rounds // MOST_BLOCKS)
        size = max(1, least, BLOCK_S // max(1, self.round_s))
        return [(start, min(start + size, self.rounds)) for start in range(0, self.rounds, size)]


def slots(settings: Settings) -> list[tuple[str, int]]:
    """Return the measurements of one pair and the seconds of each: bandwidth in both directions, the rest once."""
    rows = []
    for measure in settings.measures:
        if measure == BANDWIDTH:
            rows += [(measure, settings.seconds + SETUP_S)] * 2
        else:
            rows.append((measure, LATENCY_S + SETUP_S))
    return rows


def build(settings: Settings, ports: list[Port], left_out: list[LeftOut], run: str = "") -> Sweep:
    """Return the sweep of these ports; a rail with one port cannot be measured and is left out with its reason."""
    by_rail: dict[int, list[Port]] = {}
    for port in ports:
        by_rail.setdefault(port.rail, []).append(port)
    rails: list[Rail] = []
    out, offset = list(left_out), 0
    for number in sorted(by_rail):
        members = tuple(by_rail[number])
        if len(members) < 2:
            act = "a pair needs two nodes: add one, or take the port out"
            out.append(LeftOut(members[0].name, "it is the only port of its rail that can be measured", act))
            continue
        whole = schedule.rounds(len(members))
        rails.append(Rail(number, members, min(whole, settings.rounds or whole), offset))
        offset += 0 if settings.rails_together else rails[-1].rounds
    hosts = tuple(dict.fromkeys(port.host for rail in rails for port in rail.ports))
    return Sweep(settings, tuple(rails), tuple(out), run, hosts)


def tool(settings: Settings, measure: str, one: Port, other: Port) -> tuple[str, str]:
    """Return (measure, tool) that both ends have; where perftest is absent RDMA falls back to showing the path."""
    wanted = [measure, REACH] if settings.transport == RDMA else [measure]
    for name in wanted:
        for program in TOOLS.get((settings.transport, name), ()):
            if program in one.tools and program in other.tools:
                return name, program
    return measure, ""


def lacking(settings: Settings, measure: str, *ports: Port) -> str:
    """Return which tool is missing on which ends, empty where none is."""
    programs = TOOLS[(settings.transport, measure)]
    names = [port.host for port in ports if not set(programs) & set(port.tools)]
    return f"{' and '.join(programs)} missing on {', '.join(names)}" if names else ""


def with_tools(port: Port, programs: tuple[str, ...]) -> Port:
    """Return a port whose node has these programs."""
    return dataclasses.replace(port, tools=programs)


def to_json(sweep: Sweep) -> dict[str, Any]:
    """Return the form that ``from_json`` reads."""
    return {"format": FORMAT, **dataclasses.asdict(sweep)}


def from_json(data: Mapping[str, Any]) -> Sweep:
    """Read the JSON form."""
    rails = tuple(
        Rail(
            row["number"],
            tuple(Port(**{**port, "tools": tuple(port["tools"])}) for port in row["ports"]),
            row["rounds"],
            row["offset"],
        )
        for row in data["rails"]
    )
    settings = Settings(**{**data["settings"], "measures": tuple(data["settings"]["measures"])})
    left_out = tuple(LeftOut(**row) for row in data["left_out"])
    return Sweep(settings, rails, left_out, data["run"], tuple(data["hosts"]))

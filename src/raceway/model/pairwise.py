"""What one node does in a block of a sweep: for each of its ports, whom it meets in which order, and what is measured.

    {"run": "20260301T101500Z", "limit_s": 240, "lanes": [{"rail": 0, "address": "10.0.0.1", "listen": 18600,
      "matches": [{"round": 0, "peer": "10.0.0.2", "call": true, "slots": [{"measure": "bandwidth",
        "tool": "ib_write_bw", "sends": true, "seconds": 2, …}]}]}]}

It deliberately holds no threshold: a node measures, the controller judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Tuple

BANDWIDTH, LATENCY, REACH = "bandwidth", "latency", "reach"
MEASURES = (BANDWIDTH, LATENCY, REACH)
RDMA, TCP = "rdma", "tcp"
# What carries out a measure, the best first; the ones behind show less, see their parsers.
TOOLS = {
    (RDMA, BANDWIDTH): ("ib_write_bw",),
    (RDMA, LATENCY): ("ib_send_lat",),
    (RDMA, REACH): ("rping", "udaddy"),
    (TCP, BANDWIDTH): ("iperf3",),
}
PROGRAMS = tuple(dict.fromkeys(tool for tools in TOOLS.values() for tool in tools))


@dataclass(frozen=True)
class Slot:
    """One measurement. ``sends``: this node is the client, whose data is what counts.

    ``device``/``ib_port``/``gid_index`` are this node's own; -1: no GID is given (InfiniBand). ``port``: TCP port at
    which the serving end listens. ``traffic_class``: the ToS byte, -1 where none is declared.
    """

    measure: str
    tool: str
    sends: bool
    seconds: int = 2
    message_bytes: int = 65536
    queue_pairs: int = 1
    device: str = ""
    ib_port: int = 1
    gid_index: int = -1
    port: int = 18800
    traffic_class: int = -1


@dataclass(frozen=True)
class Match:
    """One partner in one round. ``peer``: its address; ``call``: this node comes to it, else it comes here."""

    round: int
    peer: str
    call: bool
    slots: Tuple[Slot, ...]


@dataclass(frozen=True)
class Lane:
    """All matches of one port, in the order of the rounds. ``listen``: where all ports of the rail can be met."""

    rail: int
    address: str
    listen: int
    matches: Tuple[Match, ...]


@dataclass(frozen=True)
class Block:
    """The work of one call. ``run`` tells sweeps apart; ``patience_s``: how long a partner may show no sign of life;
    ``limit_s``: after it all is ended."""

    run: str
    lanes: Tuple[Lane, ...]
    patience_s: float = 20.0
    limit_s: float = 300.0


def parse(spec: Mapping[str, Any]) -> Block:
    """Read the JSON form, whose keys are the fields' names."""
    lanes = tuple(
        Lane(row["rail"], row["address"], row["listen"], tuple(_match(match) for match in row["matches"]))
        for row in spec["lanes"]
    )
    return Block(spec["run"], lanes, spec["patience_s"], spec["limit_s"])


def _match(row: Mapping[str, Any]) -> Match:
    return Match(row["round"], row["peer"], row["call"], tuple(Slot(**slot) for slot in row["slots"]))

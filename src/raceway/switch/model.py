"""What a switch is declared to do, and what its running configuration says, in one vocabulary.

The declaration is ``raceway.model.qos.Qos`` plus the facts only a switch has: ports, headroom, WRED, watchdog, MTU.
It deliberately holds what a configuration says as text, ``None`` for what it does not say: an unknown equals nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceway.model.qos import PRIORITIES, Qos

PLATFORMS = ("cumulus", "sonic", "eos", "nxos")
COLOURS = ("green", "yellow", "red")  # drop precedence, RFC 2697; only SONiC lets each have thresholds of its own
ON, OFF = "on", "off"
UNMAPPED = "unmapped"
NOTHING = "none"
DERIVED = "derived from the cable length"


@dataclass(frozen=True)
class Port:
    """One switch port. ``speed``: Mb/s; ``cable_m``: metres; ``host``: who hangs on it, empty for a fabric link."""

    name: str
    speed: int
    cable_m: int
    host: str = ""


@dataclass(frozen=True)
class Wred:
    """Marking of one colour: from ``minimum`` bytes of queue on, up to ``probability`` percent at ``maximum`` bytes."""

    minimum: int
    maximum: int
    probability: int
    enabled: bool = True


@dataclass(frozen=True)
class Headroom:
    """Ingress buffer of one lossless priority, in bytes: ``size`` in all, ``xoff`` of it for what is still in flight.

    ``xon``: fill at which the peer may send again.
    """

    size: int
    xon: int
    xoff: int

    def __str__(self) -> str:
        return f"size {self.size}, xon {self.xon}, xoff {self.xoff}"


@dataclass(frozen=True)
class Switch:
    """The declaration of one switch. ``watchdog_ms``: how long a queue may stand paused, 0 for no PFC watchdog.

    ``headroom``: (speed in Mb/s, cable in metres) → buffer, the rows this switch knows. ``hosts``: who declared it.
    """

    name: str
    platform: str
    qos: Qos
    ports: tuple[Port, ...]
    wred: Mapping[str, Wred]
    headroom: Mapping[tuple[int, int], Headroom]
    mtu: int = 9216
    watchdog_ms: int = 200
    hosts: tuple[str, ...] = ()

    def row(self, port: Port) -> Headroom:
        """Return the headroom of a port: by its own speed, whatever the fastest speed of the switch is."""
        return self.headroom[port.speed, port.cable_m]

    @property
    def rest(self) -> int:
        """The traffic class of all other traffic: best effort is 1 on EOS, 0 elsewhere, unless RoCE has taken it."""
        wanted = (1, 0, 2) if self.platform == "eos" else (0, 1, 2)
        return next(number for number in wanted if number not in (self.qos.priority, self.qos.cnp_priority))

    @property
    def classes(self) -> dict[int, tuple[int, ...]]:
        """Every DSCP, by the traffic class it leads to: {0: (0, 1, …), 3: (26,), 6: (48,)}."""
        own = (self.qos.dscp, self.qos.cnp_dscp)
        rest = tuple(number for number in range(64) if number not in own)
        return {self.rest: rest, self.qos.priority: own[:1], self.qos.cnp_priority: own[1:]}


@dataclass(frozen=True)
class QueueConfig:
    """What a configuration says of one egress queue. ``wred``: "green.min" → "1048576"; ``share``: percent."""

    ecn: str | None = None
    strict: str | None = None
    share: str | None = None
    wred: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class PortConfig:
    """What a configuration says of one port; each default means that it says nothing.

    ``dscp``: DSCP → traffic class; ``queue_of``: traffic class → queue; ``group_of``: traffic class → priority group;
    ``paused_queue``: PFC priority → queue; ``pfc``: priorities that pause; ``pfc_ways``: receiving, sending;
    ``headroom``: priority → text; ``cable``: metres; ``watchdog``: priorities it watches.
    """

    trust: str | None = None
    dscp: Mapping[int, int] | None = None
    queue_of: Mapping[int, int] | None = None
    group_of: Mapping[int, int] | None = None
    paused_queue: Mapping[int, int] | None = None
    pfc: frozenset[int] | None = None
    pfc_ways: str | None = None
    headroom: Mapping[int, str] = field(default_factory=dict)
    cable: str | None = None
    queues: Mapping[int, QueueConfig] = field(default_factory=dict)
    watchdog: frozenset[int] | None = None
    watchdog_ms: str | None = None
    mtu: str | None = None


Running = Mapping[str, PortConfig]  # port name → what the configuration says of it
EVERY = frozenset(PRIORITIES)
IDENTITY = {number: number for number in PRIORITIES}

"""What a run with ``NCCL_DEBUG=INFO`` tells about its network: adapters, GPUDirect, transports, events.

Four lines of a real log::

    node1:4021:4077 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>
    node1:4021:4077 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'
    node1:4021:4077 [0] NCCL INFO Channel 00/0 : 1[1] -> 8[0] [receive] via NET/IB/0/GDRDMA
    node1:4021:4099 [0] NCCL WARN NET/IB : mlx5_0:1 GID table changed

A log without such lines proves nothing: NCCL prints them only when asked. Then every count is None, not 0.
It deliberately counts lines of all ranks together: what matters is that not one of them fell back to sockets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Set, Tuple

from .natural import natural
from .reading import lines, not_output_of

_LINE = re.compile(r"NCCL (INFO|WARN) (.*)$")
_VERSION = re.compile(r"NCCL version (\d[\w.+-]*)")
_USING = re.compile(r"NET/IB : Using (.*)$")
_ADAPTER = re.compile(r"\[(\d+)\]([^\s:\[\]]+):(\d+)/(\w+)")
_OOB = re.compile(r"OOB ([^\s:]+):(\S+?)(?:<\d+>|\s|$)")
_NETWORK = re.compile(r"Using network (\S.*?)\s*$")
_GDR = re.compile(r"GPU Direct RDMA (Enabled|Disabled)(?:.*? for HCA \d+ '([^']+)')?")
_CHANNEL = re.compile(r"^Channel \d+(?:/\d+)? : .* via (.+?)\s*$")
_NET = re.compile(r"^NET/([^/]+)/\d+(?:\(\d+\))?(.*)$")
_PLACE = re.compile(r"NET/\w+ ?: ([^\s:]+):(\d+) ")
EVENTS = (
    ("gid-table-changed", "GID table changed"),
    ("speed-changed", "speed change detected"),
    ("fatal", "async fatal event"),
    ("non-fatal", "Got non-fatal async event"),
    ("completion-error", "Got completion from peer"),
    ("completion-error", "got completion with error"),
    ("no-adapter", "No device found"),
)


@dataclass(frozen=True)
class Adapter:
    """One port that NCCL uses. ``link``: RoCE or IB."""

    device: str
    port: int
    link: str


@dataclass(frozen=True)
class Event:
    """A warning, and how often it came. ``kind``: one of EVENTS, or ``other``; ``device`` empty where none is named."""

    kind: str
    text: str
    device: str = ""
    port: Optional[int] = None
    count: int = 1


@dataclass(frozen=True)
class Channels:
    """Channel lines by transport. ``net_plain``: over a network adapter without GPUDirect; ``local``: inside a node."""

    net_gdr: int = 0
    net_plain: int = 0
    socket: int = 0
    local: int = 0


@dataclass(frozen=True)
class NcclLogFacts:
    """What the log shows; ``gpudirect``: by adapter (empty name: all), None in ``channels``: no such line was printed.

    ``networks``: names that NCCL chose, such as IB or Socket. ``relaxed_ordering``: None where no adapter was listed.
    """

    version: str = ""
    adapters: Tuple[Adapter, ...] = ()
    networks: Tuple[str, ...] = ()
    relaxed_ordering: Optional[bool] = None
    oob_interfaces: Tuple[str, ...] = ()
    gpudirect: Mapping[str, bool] = field(default_factory=dict)
    channels: Optional[Channels] = None
    events: Tuple[Event, ...] = ()
    problem: str = ""

    @property
    def on_sockets(self) -> Optional[bool]:
        """Whether any traffic between nodes goes through TCP: None where the log does not show it."""
        if "Socket" in self.networks or (self.channels and self.channels.socket):
            return True
        return False if self.networks or self.adapters or self.channels else None


class _Seen:
    """What was found while the lines are read."""

    def __init__(self) -> None:
        self.adapters: Set[Adapter] = set()
        self.networks: Dict[str, None] = {}
        self.oob: Dict[str, None] = {}
        self.relaxed: List[bool] = []
        self.gpudirect: Dict[str, bool] = {}
        self.channels: List[str] = []
        self.events: Dict[Tuple[str, str, str, Optional[int]], int] = {}

    def info(self, said: str) -> None:
        """Take what stands behind ``NCCL INFO``."""
        using, network, gdr, channel = (found.search(said) for found in (_USING, _NETWORK, _GDR, _CHANNEL))
        if using:
            for _, device, port, link in _ADAPTER.findall(using[1]):
                self.adapters.add(Adapter(device, int(port), link))
            self.relaxed.append("[RO]" in using[1])
            self.oob.update(dict.fromkeys(name for name, _ in _OOB.findall(using[1])))
        elif network:
            self.networks[network[1]] = None
        elif gdr:
            # One rank without it is enough: the slowest decides.
            name = gdr[2] or ""
            self.gpudirect[name] = self.gpudirect.get(name, True) and gdr[1] == "Enabled"
        elif channel:
            self.channels.append(channel[1])

    def warn(self, said: str) -> None:
        """Take what stands behind ``NCCL WARN``, and the few events that are printed as INFO."""
        place = _PLACE.search(said)
        kind = next((name for name, words in EVENTS if words in said), "other")
        key = (kind, said.strip(), place[1] if place else "", int(place[2]) if place else None)
        self.events[key] = self.events.get(key, 0) + 1


def parse(text: str) -> NcclLogFacts:
    """Return what the lines of all ranks show together."""
    seen = _Seen()
    any_line = False
    for line in lines(text):
        found = _LINE.search(line)
        if not found:
            continue
        any_line = True
        if found[1] == "WARN" or any(words in found[2] for _, words in EVENTS):
            seen.warn(found[2])
        else:
            seen.info(found[2])
    if not any_line:
        quiet = text.strip() and "no line of NCCL_DEBUG=INFO: set it, with NCCL_DEBUG_SUBSYS=INIT,NET, and run again"
        return NcclLogFacts(_version(text), problem=quiet or not_output_of("NCCL", text))
    shown = seen.adapters or seen.networks or seen.channels
    order = sorted(seen.adapters, key=lambda one: (natural(one.device), one.port))
    return NcclLogFacts(
        _version(text),
        tuple(order),
        tuple(seen.networks),
        all(seen.relaxed) if seen.relaxed else None,
        tuple(seen.oob),
        seen.gpudirect,
        _count(seen.channels) if seen.channels else None,
        tuple(Event(kind, said, device, port, count) for (kind, said, device, port), count in seen.events.items()),
        ""
        if shown
        else "NCCL spoke, but not of its network: NCCL_DEBUG_SUBSYS leaves INIT and NET out, or it is cut off",
    )


def _version(text: str) -> str:
    found = _VERSION.search(text)
    return found[1] if found else ""


def _count(transports: List[str]) -> Channels:
    found = {"net_gdr": 0, "net_plain": 0, "socket": 0, "local": 0}
    for transport in transports:
        net = _NET.match(transport)
        if not net:
            found["local"] += 1
        elif net[1] == "Socket":
            found["socket"] += 1
        else:
            found["net_gdr" if "/GDRDMA" in net[2] else "net_plain"] += 1
    return Channels(**found)

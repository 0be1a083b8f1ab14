"""RoCE settings of a node's ports as declared: which ports, and the one quality-of-service declaration for all.

A port is selected by what cannot move: PCI address, MAC address or the node GUID of its RDMA device. It deliberately
takes no interface name: names change with drivers, slots and kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

from .dcqcn import files as dcqcn_files
from .qos import Qos
from .qos import parse as parse_qos
from .roce_buffer import AUTO

SELECTORS = ("pci", "mac", "guid")
# Traffic classes as sent: three are enough and exist on every port that can do ETS. Their numbers have no meaning
# outside the port (what travels is DSCP), so none of them depends on how many classes a port has.
CLASS_REST, CLASS_DATA, CLASS_CNP = 0, 1, 2
CLASSES = 3


@dataclass(frozen=True)
class Port:
    """One declared port: ``by`` is one of SELECTORS, ``value`` in lower case as sysfs has it; ``rail`` its number.

    ``speed_mbps``: what its link had when the request of a boot was stored; 0 elsewhere. A link that is not up yet has
    no speed to size buffers by.
    """

    by: str
    value: str
    rail: int = 0
    speed_mbps: int = 0

    @property
    def label(self) -> str:
        """How messages and the ledger call it."""
        return f"{self.by} {self.value}"


@dataclass(frozen=True)
class RoceDesired:
    """What the ``roce`` noun is given. No ports: what was taken over is given back.

    ``buffer``: one of ``roce_buffer.POLICIES``; ``consent``: whether links may be set up anew; ``boot``: this is the
    stored request of a boot, which sets ports that are there and gives nothing back; ``only``: the interface or RDMA
    device whose appearance asks, for that port alone; empty: all.
    """

    ports: Tuple[Port, ...] = ()
    qos: Qos = field(default_factory=Qos)
    persist: bool = True
    platform: str = "bare_metal"
    buffer: str = AUTO
    consent: bool = False
    boot: bool = False
    only: str = ""


def parse(spec: Mapping[str, Any]) -> RoceDesired:
    """Read the JSON form: ``{"ports": [{"pci": …, "rail": 0}], "qos": {…}, "persist", "platform", "buffer", …}``."""
    names = ("persist", "platform", "buffer", "consent", "boot", "only")
    given = {name: spec[name] for name in names if name in spec}
    return RoceDesired(ports_of(spec), parse_qos(spec.get("qos", {})), **given)


def ports_of(spec: Mapping[str, Any]) -> Tuple[Port, ...]:
    """Read the rows of ``ports``."""
    ports = []
    for row in spec.get("ports", ()):
        by = next(name for name in SELECTORS if row.get(name))
        ports.append(Port(by, str(row[by]).lower(), int(row.get("rail", 0)), int(row.get("speed_mbps", 0))))
    return tuple(ports)


@dataclass(frozen=True)
class Settings:
    """All of one port that the declaration decides, as a value to compare, to set and to give back.

    ``dscp``: DSCP → priority for the declared code points; ``priority_class`` and ``pfc``: by priority, eight each;
    ``scheduling`` (``ets`` or ``strict``) and ``bandwidth`` (percent): by traffic class, eight each; ``pause``: link
    pause of receive and send; ``mtu``: bytes; ``dcqcn``: file → text, on ports that have the files.
    """

    dscp: Tuple[Tuple[int, int], ...]
    pfc: Tuple[bool, ...]
    priority_class: Tuple[int, ...]
    scheduling: Tuple[str, ...]
    bandwidth: Tuple[int, ...]
    pause: Tuple[bool, bool]
    mtu: int
    dcqcn: Tuple[Tuple[str, str], ...]


# In the order they are set: room for what is still on its way before PFC, the congestion control's packets need their
# priority first. Not every port has every part: ``plan/roce_goal.py`` picks.
PARTS = ("cable", "buffer", "dscp", "pfc", "ets", "dcqcn", "cm_tos", "pause", "mtu")
# The parts whose field is not of their own name, or that are more than one.
_FIELDS = {
    "ets": ("priority_class", "scheduling", "bandwidth"),
    "buffer": ("priority_buffer", "buffer_sizes"),
    "cable": ("cable_m",),
}


def wanted(qos: Qos) -> Settings:
    """Return what a port is to become.

    The data's class and the rest share the link by ETS, notifications go first: they are few and end congestion.
    """
    classes = {**dict.fromkeys(qos.paused, CLASS_DATA), qos.cnp_priority: CLASS_CNP}
    scheduling = ["strict"] * 8
    scheduling[CLASS_REST] = scheduling[CLASS_DATA] = "ets"
    bandwidth = [0] * 8
    bandwidth[CLASS_REST], bandwidth[CLASS_DATA] = 100 - qos.share, qos.share
    return Settings(
        dscp=tuple(sorted({qos.dscp: qos.priority, qos.cnp_dscp: qos.cnp_priority}.items())),
        pfc=qos.pfc,
        priority_class=tuple(classes.get(number, CLASS_REST) for number in range(8)),
        scheduling=tuple(scheduling),
        bandwidth=tuple(bandwidth),
        pause=(False, False),
        mtu=qos.mtu,
        dcqcn=tuple(dcqcn_files(qos).items()),
    )


def fields_of(name: str) -> Tuple[str, ...]:
    """Return the fields of one part; most parts are the field of their name."""
    return _FIELDS.get(name, (name,))


def part(settings: Settings, name: str) -> Dict[str, Any]:
    """Return one part of ``Settings`` as field → value."""
    return {field: getattr(settings, field) for field in fields_of(name)}

"""What ``ibdev2netdev`` says: which network interface belongs to which RDMA port.

Three lines of real output, the last with ``-v``::

    mlx5_0 port 1 ==> enp94s0f0np0 (Up)
    mlx5_1 port 1 ==> ibp94s0f1 (Down)
    0000:5e:00.0 mlx5_2 (MT4129 - MCX75310AAS) CX75 fw 28.39.1002 port 1 (ACTIVE) ==> ens2np0 (Up)

``(Down)`` is the carrier of the network interface. On InfiniBand that is the IPoIB side, which may be down for ever on
a fabric in best health, so it deliberately never counts as the state of the port.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import AbstractSet, List, Mapping, Tuple

from .natural import natural
from .reading import joined, lines, not_output_of, quote

_ROW = re.compile(
    r"^\s*(?:(?P<pci>[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+)?(?P<device>\S+)\s+"
    r"(?:\((?P<part>[^)]*)\)\s+.*?(?:fw\s+(?P<firmware>\S+)\s+)?)?port\s+(?P<port>\d+)\s+"
    r"(?:\((?P<port_state>[^)]*)\)\s*)?<?=+>\s*(?P<netdev>\S+)(?:\s+\((?P<state>[^)]*)\))?\s*$"
)


@dataclass(frozen=True)
class Ibdev:
    """One port. ``netdev_state``: Up, Down, NA or empty. ``port_state``, ``pci``, ``firmware``: only with ``-v``."""

    device: str
    port: int
    netdev: str
    netdev_state: str = ""
    port_state: str = ""
    pci: str = ""
    firmware: str = ""

    @property
    def name(self) -> str:
        """The port as ``device/port``."""
        return f"{self.device}/{self.port}"


@dataclass(frozen=True)
class Ibdev2netdevFacts:
    """Rows in natural order, and why there may be more."""

    rows: Tuple[Ibdev, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class PortState:
    """What another source says of a port: ``link_layer`` InfiniBand or Ethernet, ``state`` such as ACTIVE."""

    link_layer: str
    state: str


def parse(text: str) -> Ibdev2netdevFacts:
    """Return the rows, whatever run of blanks stands between their parts."""
    rows: List[Ibdev] = []
    rest: List[str] = []
    for line in lines(text):
        found = _ROW.match(line)
        if not found:
            rest.append(line)
            continue
        rows.append(
            Ibdev(
                found["device"],
                int(found["port"]),
                found["netdev"],
                (found["state"] or "").strip(),
                (found["port_state"] or "").strip().upper(),
                (found["pci"] or "").lower(),
                found["firmware"] or "",
            )
        )
    rows.sort(key=lambda row: (natural(row.device), row.port))
    if not rows:
        return Ibdev2netdevFacts((), not_output_of("ibdev2netdev", text))
    return Ibdev2netdevFacts(tuple(rows), joined(*(f"not understood: {quote(line)}" for line in rest)))


def faults(rows: Tuple[Ibdev, ...], ports: Mapping[str, PortState], fabric: AbstractSet[str]) -> Tuple[str, ...]:
    """Return what is wrong with the ports of ``fabric`` (device/port), each in a sentence.

    An InfiniBand port counts by its own state. An Ethernet port has to have its interface up. A port whose state
    nobody knows is told as such, and is not good.
    """
    known = {row.name: row for row in rows}
    found = []
    for name in sorted(fabric, key=natural):
        row, port = known.get(name), ports.get(name)
        if row is None:
            found.append(f"{name}: declared a fabric port, and ibdev2netdev does not list it")
        elif port is None:
            found.append(f"{name}: the state of the port is unknown; {row.netdev} is {row.netdev_state or 'unknown'}")
        elif port.state != "ACTIVE":
            found.append(f"{name}: port state {port.state or 'unknown'}, expected ACTIVE")
        elif port.link_layer != "InfiniBand" and row.netdev_state != "Up":
            found.append(f"{name}: {row.netdev} is {row.netdev_state or 'unknown'}, expected Up")
    return tuple(found)

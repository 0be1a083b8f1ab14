"""Which interfaces and RDMA devices of a node matter, read from sysfs.

It deliberately starts no tool: a node whose tools hang has ports all the same.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..facts.natural import natural
from ..host import Host
from .catalogue import Ports

NET = "/sys/class/net"
RDMA = "/sys/class/infiniband"
NVIDIA = "0x15b3"  # PCI vendor of Mellanox and NVIDIA networking
MOST_PORTS = 64


def survey(host: Host, asked: Tuple[str, ...] = ()) -> Ports:
    """Return the ports: those asked for, else those with an RDMA device, else those with a driver, else all but lo."""
    netdevs = [name for name in host.listdir(NET) if name != "lo" and not name.startswith("bonding_masters")]
    rdma = sorted(host.listdir(RDMA), key=natural)
    below: Dict[str, List[str]] = {name: _netdevs(host, name) for name in rdma}
    carrying = [netdev for names in below.values() for netdev in names if netdev in netdevs]
    driven = [name for name in netdevs if host.exists(f"{NET}/{name}/device")]
    chosen = [name for name in asked if name in netdevs] if asked else carrying or driven or netdevs
    interfaces = sorted(dict.fromkeys(chosen), key=natural)[:MOST_PORTS]
    functions = dict.fromkeys(_function(host, name) for name in rdma)
    return Ports(tuple(interfaces), tuple(rdma[:MOST_PORTS]), tuple(one for one in functions if one))


def unknown(host: Host, asked: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the names that were asked for and are no interface here."""
    there = host.listdir(NET)
    return tuple(name for name in asked if name not in there)


def _netdevs(host: Host, device: str) -> List[str]:
    """Return the interfaces of an RDMA device: of its card, or of what a software device stands on."""
    parent = (host.read(f"{RDMA}/{device}/parent") or "").strip()
    return [*host.listdir(f"{RDMA}/{device}/device/net"), *([parent] if parent else [])]


def _function(host: Host, device: str) -> str:
    """Return the PCI address of NVIDIA's cards, for whose firmware there are tools."""
    if (host.read(f"{RDMA}/{device}/device/vendor") or "").strip() != NVIDIA:
        return ""
    return (host.readlink(f"{RDMA}/{device}/device") or "").rpartition("/")[2]

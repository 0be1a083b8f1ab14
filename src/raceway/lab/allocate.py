"""Chooses what two labs must not share: an IPv4 /24 for the nodes and loopback ports for the control plane.

Pure: what is taken is handed in. It deliberately stays below the range the kernel gives to outgoing connections
(32768 and up), so that a lab that is down for a while does not lose a port to a passing connection.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection, Iterable, Sequence

from raceway.errors import RacewayError

# A corner of 10/8 that is rarely routed; each lab takes one /24 of it.
POOL = ipaddress.IPv4Network("10.213.0.0/16")
FIRST_PORT, LAST_PORT = 26000, 31999
# One lab's ports stand together in a block, so that they are easy to tell apart in `ss`.
BLOCK = 20


def subnet(taken: Iterable[str], prefer: str = "") -> str:
    """Return ``prefer``, else the first /24 of the pool, that overlaps none of ``taken`` (networks, addresses)."""
    networks = [network for text in taken if (network := _network(text)) is not None]
    first = [ipaddress.IPv4Network(prefer)] if prefer else []
    for candidate in (*first, *POOL.subnets(new_prefix=24)):
        if not any(candidate.overlaps(other) for other in networks):
            return str(candidate)
    raise RacewayError(
        "lab network", f"all of {POOL} is taken", act="remove labs you no longer need (raceway lab down --name NAME)"
    )


def addresses(network: str, count: int) -> list[str]:
    """Return the addresses of ``count`` nodes: .11 and up (.1 is the gateway; the rest is kept for things to come)."""
    first = ipaddress.IPv4Network(network).network_address + 11
    if not 0 <= count <= 240:
        raise RacewayError("lab nodes", str(count), "0 to 240", "give --nodes a number in this range")
    return [str(first + index) for index in range(count)]


def ports(names: Sequence[str], reserved: Collection[int], free: Callable[[int], bool]) -> dict[str, int]:
    """Return a port for each name from one block in which no port is reserved and all are ``free``."""
    for start in range(FIRST_PORT, LAST_PORT - BLOCK, BLOCK):
        block = range(start, start + len(names))
        if not any(port in reserved for port in block) and all(free(port) for port in block):
            return dict(zip(names, block, strict=True))
    raise RacewayError(
        "loopback ports",
        f"no block of {len(names)} free ports in {FIRST_PORT}-{LAST_PORT}",
        act="remove labs you no longer need (raceway lab down --name NAME)",
    )


def _network(text: str) -> ipaddress.IPv4Network | None:
    # A default route overlaps everything and says nothing about who uses an address.
    try:
        network = ipaddress.IPv4Network(text, strict=False)
    except ValueError:
        return None
    return network if network.prefixlen else None

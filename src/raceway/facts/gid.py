"""One entry of a RoCE or InfiniBand GID table, and how good it is to send from.

Tools print the same entry in different ways::

    0000:0000:0000:0000:0000:ffff:c0a8:0101     (sysfs, show_gids)
    ::ffff:192.168.1.1, RoCE v2                 (ibv_devinfo -v)
    fe80:0000:0000:0000:966d:aeff:fe73:1800

It deliberately pins no index: an index moves when a port flaps or an address is added again.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Iterable, Optional

ROCE_V1, ROCE_V2, INFINIBAND = "v1", "v2", "ib"
# Weights of the usual choice among GIDs: version first, then family, then the lowest index.
WEIGHT_V2, WEIGHT_IPV4, WEIGHT_IPV6 = 1000, 200, 100
_LINK_LOCAL_V4 = ipaddress.IPv4Network("169.254.0.0/16")


@dataclass(frozen=True)
class Gid:
    """``address``: eight groups of four digits. ``kind``: v1, v2, ib, or empty where the kernel does not say.

    ``netdev``: the interface the kernel binds the entry to, empty for InfiniBand.
    """

    index: int
    address: str
    kind: str = ""
    netdev: str = ""

    @property
    def ipv4(self) -> str:
        """The IPv4 address an entry stands for, or nothing."""
        mapped = ipaddress.IPv6Address(self.address).ipv4_mapped
        return str(mapped) if mapped else ""

    @property
    def link_local(self) -> bool:
        """Whether the address is good on its own cable only: fe80::/10, or 169.254.0.0/16 mapped."""
        address = ipaddress.IPv6Address(self.address)
        mapped = address.ipv4_mapped
        return mapped in _LINK_LOCAL_V4 if mapped else address.is_link_local

    @property
    def routable(self) -> bool:
        """Whether a packet from this GID can cross a router: RoCE v2 with an address that is not link-local."""
        return self.kind == ROCE_V2 and not self.link_local

    @property
    def score(self) -> int:
        """How good it is to send from: RoCE v2 1000, IPv4 200, other routable address 100, minus the index."""
        family = WEIGHT_IPV4 if self.ipv4 else 0 if self.link_local else WEIGHT_IPV6
        return (WEIGHT_V2 if self.kind == ROCE_V2 else 0) + family - self.index


def address_of(text: str) -> str:
    """Return a GID in the form of sysfs, or nothing where the text is none or every digit is zero."""
    try:
        address = ipaddress.IPv6Address(text.strip())
    except ValueError:
        return ""
    # Not "exploded": newer Pythons write the last 32 bits of a mapped address with dots.
    return ":".join(address.packed[byte : byte + 2].hex() for byte in range(0, 16, 2)) if int(address) else ""


def whole(text: str) -> bool:
    """Tell whether a text is a GID as the kernel prints it: one that was cut off may look like another address."""
    return re.fullmatch(r"[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){7}", text.strip()) is not None


def kind_of(text: Optional[str], link_layer: str = "Ethernet") -> str:
    """Return v1, v2 or ib for what ``gid_attrs/types`` says; nothing for None, which is what an unused entry gives.

    >>> kind_of("RoCE v2\\n"), kind_of("IB/RoCE v1"), kind_of("IB/RoCE v1", "InfiniBand"), kind_of(None)
    ('v2', 'v1', 'ib', '')
    """
    words = (text or "").strip().lower()
    if words.endswith("v2"):
        return ROCE_V2
    if words.endswith("v1"):
        return INFINIBAND if link_layer == "InfiniBand" else ROCE_V1
    return ""


def best(gids: Iterable[Gid]) -> Optional[Gid]:
    """Return the entry with the highest score, None where there is no entry."""
    return max(gids, key=lambda gid: gid.score, default=None)

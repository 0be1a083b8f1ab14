"""Routes and routing rules as values to compare, to set and to print; the words are those of iproute2.

It deliberately knows no device: which interface a route leaves by is decided where a node's interfaces are known.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import List, Optional

MAIN, LOCAL, DEFAULT_TABLE = 254, 255, 253  # of rtnetlink(7); 0 is "unspecified"
RESERVED_TABLES = (0, DEFAULT_TABLE, MAIN, LOCAL)
MOST_TABLE = 2**32 - 1
MAIN_RULE = 32766  # priority of the kernel's own rule for the main table: a rule behind it decides nothing
DEFAULT = "default"
V4, V6 = 4, 6


@dataclass(frozen=True)
class Rule:
    """Packets of one source look in one table. ``source``: a prefix such as ``10.1.0.11/32``."""

    priority: int
    source: str
    table: int

    @property
    def family(self) -> int:
        """4 or 6."""
        return V6 if ":" in self.source else V4

    def words(self) -> List[str]:
        """Return the rule as iproute2 takes it."""
        return ["from", self.source, "lookup", str(self.table), "priority", str(self.priority)]


@dataclass(frozen=True)
class Route:
    """One route. ``destination``: a prefix or DEFAULT; ``gateway`` empty: on the link; ``source``: of new packets."""

    destination: str
    table: int = MAIN
    gateway: str = ""
    metric: int = 0
    source: str = ""
    family: int = V4

    def words(self, device: str) -> List[str]:
        """Return the route as iproute2 takes it."""
        words = [self.destination, *(["via", self.gateway] if self.gateway else []), "dev", device]
        words += ["proto", "static", *([] if self.gateway or self.family == V6 else ["scope", "link"])]
        words += ["src", self.source] if self.source else []
        return [*words, "metric", str(self.metric), "table", str(self.table)]

    @property
    def told(self) -> str:
        """The route in a message."""
        return f"{self.destination}{f' via {self.gateway}' if self.gateway else ''} in table {self.table}"


def prefix(text: str) -> Optional[str]:
    """Return a prefix in the one spelling that is compared, None for what is none; an address is a prefix of itself.

    >>> prefix("10.1.0.11"), prefix("FD00::1/64"), prefix("default")
    ('10.1.0.11/32', 'fd00::/64', None)
    """
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return None


def interface(text: str) -> Optional[str]:
    """Return an address with its prefix length in the one spelling that is compared, None for what is none.

    >>> interface("10.1.0.11/24"), interface("FD00::0:1/64"), interface("10.1.0.11"), interface("x")
    ('10.1.0.11/24', 'fd00::1/64', None, None)
    """
    try:
        return str(ipaddress.ip_interface(text)) if "/" in text else None
    except ValueError:
        return None


def bare(address: str) -> str:
    """Return an address without its prefix length.

    >>> bare("10.1.0.11/24")
    '10.1.0.11'
    """
    return address.partition("/")[0]


def network(address: str) -> str:
    """Return the subnet of an address with prefix length.

    >>> network("10.1.0.11/24")
    '10.1.0.0/24'
    """
    return str(ipaddress.ip_interface(address).network)


def family(address: str) -> int:
    """Return 4 or 6 for an address or prefix."""
    return V6 if ":" in address else V4

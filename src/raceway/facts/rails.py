"""What a node's interfaces, routes and rules are, as far as the rails look at them, and who else sets them.

A value that could not be read is None or missing, which equals nothing: it is never taken for what is declared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from ..model.route import Route, Rule
from .bonding import BondingFacts
from .ip_addr import Link
from .rails_owner import Owner


@dataclass(frozen=True)
class Hardware:
    """The device of a port. ``pci``: its function, empty where it has none; ``functions``: virtual ones made of it."""

    pci: str = ""
    driver: str = ""
    functions: int = 0

    @property
    def card(self) -> str:
        """The PCI address without its function: ports of one card share it."""
        return self.pci.rpartition(".")[0]


@dataclass(frozen=True)
class RailsFacts:
    """``ports``: label → interface, absent where there is no such port; all else by interface name.

    ``routes``: (interface, route); ``others``: (priority, table) of rules that look at more than a source;
    ``sysctls``: interface (or ``all``) → setting → value; ``carried``: what must not break; ``files``: path → text of
    our own; ``owned``: label → what was found before; ``owned_bonds``: bonds and ``own_sources``: rules' sources that
    our files make; ``networkd``: whether it runs; ``problem``: why ip did not say.
    """

    ports: Mapping[str, str] = field(default_factory=dict)
    present: Tuple[str, ...] = ()
    links: Mapping[str, Link] = field(default_factory=dict)
    hardware: Mapping[str, Hardware] = field(default_factory=dict)
    bonds: Mapping[str, BondingFacts] = field(default_factory=dict)
    rules: Tuple[Rule, ...] = ()
    others: Tuple[Tuple[int, int], ...] = ()
    routes: Tuple[Tuple[str, Route], ...] = ()
    sysctls: Mapping[str, Mapping[str, Optional[int]]] = field(default_factory=dict)
    carried: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    owners: Mapping[str, Owner] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    owned: Mapping[str, Any] = field(default_factory=dict)
    owned_bonds: Tuple[str, ...] = ()
    own_sources: Tuple[str, ...] = ()
    networkd: bool = False
    problem: str = ""

    def effective(self, interface: str, setting: str) -> Optional[int]:
        """Return what is in effect: of all these settings the kernel takes the higher of ``all`` and the port's own."""
        values = [self.sysctls.get(name, {}).get(setting) for name in ("all", interface)]
        known = [value for value in values if value is not None]
        return max(known) if len(known) == len(values) else None

    @property
    def owned_devices(self) -> Tuple[str, ...]:
        """Interfaces of rails that are or were ours: what is on them moves with the declaration."""
        return (*(self.ports[label] for label in self.owned if label in self.ports), *self.owned_bonds)

    def holders(self) -> Dict[str, str]:
        """Return address without prefix length → interface that has it."""
        return {one.partition("/")[0]: link.name for link in self.links.values() for one in link.addresses}

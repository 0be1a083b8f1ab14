"""The rails of a node as declared: which port or bond each one is, its addresses, and how packets find their way.

A port is selected by what cannot move: PCI address, MAC address or the node GUID of its RDMA device. It deliberately
takes no interface name but that of a bond, which is made here; and no MTU of a port: that is the roce role's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from .selector import GUID, MAC, PCI

SELECTORS = (PCI, MAC, GUID)
LACP, BACKUP, XOR = "802.3ad", "active-backup", "balance-xor"
# Kernel numbers of the modes a RoCE LAG knows (mlx5: 1, 2 and 4); others spread single flows or lose them.
MODES: Dict[str, int] = {BACKUP: 1, XOR: 2, LACP: 4}
HASHED = (XOR, LACP)
HASH_POLICIES = ("layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac")
LACP_RATES = ("slow", "fast")
LONGEST_NAME = 15  # IFNAMSIZ of the kernel, with its closing zero byte
# Loose: the way back may be another rail. Source: kernel, ip-sysctl; 1 is RFC 3704's strict form.
RP_FILTERS: Dict[str, int] = {"off": 0, "strict": 1, "loose": 2}
DEFAULT_TABLE_BASE = 1000


@dataclass(frozen=True)
class Port:
    """One port: ``by`` is one of SELECTORS, ``value`` in lower case as sysfs has it."""

    by: str
    value: str

    @property
    def label(self) -> str:
        """How messages and the ledger call it."""
        return f"{self.by} {self.value}"


@dataclass(frozen=True)
class Bond:
    """How ports are one. ``mode``: a key of MODES; ``miimon_ms``: how often links are looked at, in milliseconds.

    ``hash_policy`` and ``lacp_rate``: of HASH_POLICIES and LACP_RATES, where the mode uses them; ``roce_lag``: the
    members' card is to make one RDMA device of it; ``mtu``: bytes, 0 leaves it.
    """

    name: str
    mode: str = LACP
    hash_policy: str = "layer3+4"
    miimon_ms: int = 100
    lacp_rate: str = "fast"
    roce_lag: bool = True
    mtu: int = 0

    def settings(self) -> Dict[str, str]:
        """Return what the kernel is told and shows, by iproute2's words; only what the mode uses."""
        rows = {"mode": self.mode, "miimon": str(self.miimon_ms)}
        if self.mode in HASHED:
            rows["xmit_hash_policy"] = self.hash_policy
        if self.mode == LACP:
            rows["ad_lacp_rate"] = self.lacp_rate
        return rows


@dataclass(frozen=True)
class Rail:
    """One rail: a port, or a bond of ``members``.

    ``addresses``: with prefix length; ``gateways``: one a family at most; ``routes``: prefixes behind them.
    """

    rail: int
    members: Tuple[Port, ...]
    addresses: Tuple[str, ...] = ()
    gateways: Tuple[str, ...] = ()
    routes: Tuple[str, ...] = ()
    bond: Optional[Bond] = None

    @property
    def label(self) -> str:
        """How messages call it: by its bond's name, else by its port."""
        return f"bond {self.bond.name}" if self.bond else self.members[0].label


@dataclass(frozen=True)
class RailsDesired:
    """What the ``rails`` noun is given. No rails: what was set up is taken down again.

    ``policy``: whether each rail has a table of its own, ``table_base`` plus its number; ``sysctls``: the kernel's
    per-interface settings of IPv4 by name, as they are to be in effect.
    """

    rails: Tuple[Rail, ...] = ()
    policy: bool = True
    table_base: int = DEFAULT_TABLE_BASE
    sysctls: Mapping[str, int] = field(default_factory=dict)
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> RailsDesired:
    """Read ``{"ports": [{"rail", "pci", "addresses"…}], "bonds": [{"name", "members": […]…}], "policy", …}``."""
    rows = [_rail(row, (row,), None) for row in spec.get("ports", ())]
    rows += [_rail(row, row["members"], _bond(row)) for row in spec.get("bonds", ())]
    default = RailsDesired()
    return RailsDesired(
        rails=tuple(sorted(rows, key=lambda one: one.rail)),
        policy=bool(spec.get("policy", default.policy)),
        table_base=int(spec.get("table_base", default.table_base)),
        sysctls={str(name): int(value) for name, value in spec.get("sysctls", {}).items()},
        platform=str(spec.get("platform", default.platform)),
    )


def _rail(row: Mapping[str, Any], members: Any, bond: Optional[Bond]) -> Rail:
    return Rail(
        rail=int(row["rail"]),
        members=tuple(_port(one) for one in members),
        addresses=tuple(row.get("addresses") or ()),
        gateways=tuple(row.get("gateways") or ()),
        routes=tuple(row.get("routes") or ()),
        bond=bond,
    )


def _port(row: Mapping[str, Any]) -> Port:
    by = next(name for name in SELECTORS if row.get(name))
    return Port(by, str(row[by]).lower())


def _bond(row: Mapping[str, Any]) -> Bond:
    default = Bond("")
    return Bond(
        name=str(row["name"]),
        mode=str(row.get("mode") or default.mode),
        hash_policy=str(row.get("hash_policy") or default.hash_policy),
        miimon_ms=int(row.get("miimon_ms") or default.miimon_ms),
        lacp_rate=str(row.get("lacp_rate") or default.lacp_rate),
        roce_lag=bool(row.get("roce_lag", default.roce_lag)),
        mtu=int(row.get("mtu") or 0),
    )

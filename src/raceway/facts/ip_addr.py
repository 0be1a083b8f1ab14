"""What ``ip -j -d addr show`` says: each interface, its state, what it is part of, its addresses, a bond's settings.

    [{"ifindex":3,"ifname":"ens1f0np0","flags":["BROADCAST","SLAVE","UP","LOWER_UP"],"mtu":9000,"master":"rail0",
      "address":"b8:3f:d2:00:00:01","addr_info":[]},
     {"ifname":"rail0","linkinfo":{"info_kind":"bond","info_data":{"mode":"802.3ad","miimon":100}},"addr_info":[
      {"family":"inet","local":"10.1.0.11","prefixlen":24,"scope":"global"}]}]

Old iproute2 prints empty objects between the entries. It deliberately keeps no link-local address: every port has one
without anyone's doing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..model.route import interface
from .reading import Row, is_json, joined, json_rows, not_output_of, number

# Settings of a bond that are looked at.
BOND_SETTINGS = ("mode", "miimon", "xmit_hash_policy", "ad_lacp_rate")


@dataclass(frozen=True)
class Link:
    """One interface. ``up``: set up by an administrator; ``carrier``: the link itself; ``kind``: bond, vlan, veth, …

    ``addresses``: with prefix length, link-local ones left out; ``bond``: setting → text as iproute2 prints it;
    ``active``: the member a bond sends by, where its mode has one.
    """

    name: str
    index: Optional[int] = None
    up: bool = False
    carrier: bool = False
    mac: str = ""
    mtu: Optional[int] = None
    master: str = ""
    kind: str = ""
    addresses: Tuple[str, ...] = ()
    bond: Mapping[str, str] = field(default_factory=dict)
    active: str = ""


@dataclass(frozen=True)
class IpAddrFacts:
    """Interfaces in the kernel's order. Even an empty network namespace has ``lo``: none is a problem."""

    links: Tuple[Link, ...] = ()
    problem: str = ""


def parse(text: str) -> IpAddrFacts:
    """Return the interfaces there are in the JSON form."""
    if not is_json(text):
        return IpAddrFacts(problem=not_output_of("ip -j -d addr show", text))
    rows, problem = json_rows(text)
    named = [row for row in rows if isinstance(row.get("ifname"), str)]
    told = ["an entry without a name" if len(named) < len(rows) else "", "" if named else "there is no interface"]
    return IpAddrFacts(tuple(_link(row) for row in named), joined(problem, *told))


def _link(row: Row) -> Link:
    flags = row.get("flags") or ()
    info = _dict(row.get("linkinfo"))
    data = _dict(info.get("info_data"))
    is_bond = info.get("info_kind") == "bond"
    return Link(
        name=row["ifname"],
        index=number(row.get("ifindex")),
        up="UP" in flags,
        carrier="LOWER_UP" in flags,
        mac=str(row.get("address", "")).lower(),
        mtu=number(row.get("mtu")),
        master=str(row.get("master", "")),
        kind=str(info.get("info_kind", "")),
        addresses=tuple(_addresses(row.get("addr_info"))),
        bond={name: str(data[name]) for name in BOND_SETTINGS if name in data} if is_bond else {},
        active=str(data.get("active_slave", "")) if is_bond else "",
    )


def _addresses(rows: Any) -> List[str]:
    found = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("scope") != "link":
            one = interface(f"{row.get('local')}/{row.get('prefixlen')}")
            found += [one] if one else []
    return found


def _dict(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}

"""What is wrong with the rails of one host: addresses, subnets, gateways, tables and bonds that cannot be meant.

It deliberately says nothing about a port: which card it is on and what it carries only the node can tell.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

from ..model import rails as model
from ..model.route import MAIN_RULE, RESERVED_TABLES, bare, family, interface, prefix
from .problem import Problem

Row = tuple[str, dict[str, Any]]  # variable, rail
Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
POINT_TO_POINT = 2  # addresses of a /31 or /127


def problems(values: dict[str, Any]) -> list[Problem]:
    """Return everything that is wrong, in the order of the variables."""
    rows = [("rails_ports", port) for port in values["rails_ports"]]
    rows += [("rails_bonds", bond) for bond in values["rails_bonds"]]
    found = [*_numbers(rows), *(one for row in rows for one in _addresses(*row)), *_bonds(values["rails_bonds"])]
    # Rules between rails would only repeat that an address is none.
    return [*found, *_tables(values, rows), *([] if found else [*_twice(rows), *_same_subnet(values, rows)])]


def _numbers(rows: list[Row]) -> Iterator[Problem]:
    seen: set[int] = set()
    for variable, row in rows:
        if row["rail"] in seen or row["rail"] < 0:
            found = f"rail {row['rail']}{' twice' if row['rail'] in seen else ''}"
            yield Problem(variable, found, "a number a rail, from 0", "number the rails")
        seen.add(row["rail"])


def _addresses(variable: str, row: dict[str, Any]) -> Iterator[Problem]:
    where = f"rail {row['rail']}"
    own: list[Interface] = []
    for address in row["addresses"]:
        if interface(address) is None:
            act = "write address and prefix length, as in 10.1.0.11/24"
            yield Problem(variable, f"{where}: {address}", "an address with its prefix length", act)
            continue
        one = ipaddress.ip_interface(address)
        own.append(one)
        told = _unusable(one)
        if told:
            yield Problem(variable, f"{where}: {address} is {told}", "an address of a host", "correct the address")
    yield from _gateways(variable, row, where, own)
    yield from _routes(variable, row, where)


def _unusable(one: Interface) -> str:
    if one.ip.is_loopback or one.ip.is_multicast or one.ip.is_unspecified or one.ip.is_link_local:
        return "loopback, multicast, link-local or no address"
    if one.network.num_addresses <= POINT_TO_POINT:
        return ""
    if one.ip == one.network.network_address:
        return "the subnet itself"
    return "its broadcast address" if one.version == 4 and one.ip == one.network.broadcast_address else ""


def _gateways(variable: str, row: dict[str, Any], where: str, own: list[Interface]) -> Iterator[Problem]:
    kinds: list[int] = []
    for gateway in row["gateways"]:
        if prefix(gateway) is None or "/" in gateway:
            act = "write the address alone, as in 10.1.0.1"
            yield Problem(variable, f"{where}: gateway {gateway}", "an address", act)
            continue
        one = ipaddress.ip_address(gateway)
        if one.version in kinds:
            yield Problem(variable, f"{where}: two gateways of IPv{one.version}", "one a family", "keep one")
        kinds.append(one.version)
        if not any(one in address.network for address in own):
            found = f"{where}: gateway {gateway} is in no subnet of {', '.join(map(str, own)) or 'the rail'}"
            yield Problem(variable, found, "an address the rail reaches without a gateway", "correct one of them")
        elif any(one == address.ip for address in own):
            yield Problem(variable, f"{where}: gateway {gateway} is the rail itself", "its neighbour", "correct it")


def _routes(variable: str, row: dict[str, Any], where: str) -> Iterator[Problem]:
    kinds = {family(gateway) for gateway in row["gateways"]}
    for route in row["routes"]:
        shown = prefix(route)
        if shown is None:
            act = "write a prefix, as in 10.1.0.0/16"
            yield Problem(variable, f"{where}: route {route}", "a prefix", act)
        elif shown in ("0.0.0.0/0", "::/0"):
            act = "name the fabric's prefixes: what is not of the fabric does not leave by a rail"
            yield Problem(
                variable, f"{where}: route {route} is the node's default route", "prefixes of the fabric", act
            )
        elif family(route) not in kinds:
            found = f"{where}: route {route} and no gateway of IPv{family(route)}"
            yield Problem(variable, found, "a gateway of the same family", "declare it, or take the route out")


def _bonds(bonds: list[dict[str, Any]]) -> Iterator[Problem]:
    names: set[str] = set()
    for bond in bonds:
        name, count = bond["name"], len(bond["members"])
        if not _NAME.fullmatch(name) or len(name) > model.LONGEST_NAME or name in ("all", "default", "lo"):
            allowed = f"a name of up to {model.LONGEST_NAME} letters, digits, - _ and ."
            yield Problem("rails_bonds", f"name {name!r}", allowed, "rename it, to rail0 for instance")
        if name in names:
            yield Problem("rails_bonds", f"{name} twice", "a name a bond", "rename one of the two")
        names.add(name)
        if count < 2:
            act = "name another port, or declare it in rails_ports"
            yield Problem("rails_bonds", f"{name}: {count} member{'' if count == 1 else 's'}", "two or more", act)
        yield from _lag(bond, name, count)
        if bond["miimon_ms"] <= 0:
            act = "100 is usual: with 0 a dead link is never noticed"
            yield Problem("rails_bonds", f"{name}: miimon_ms {bond['miimon_ms']}", "milliseconds above 0", act)


def _lag(bond: dict[str, Any], name: str, count: int) -> Iterator[Problem]:
    if not bond["roce_lag"]:
        return
    own = "or set roce_lag: false where no RDMA runs over the bond"
    functions = [str(member["pci"]) for member in bond["members"] if member.get("pci")]
    cards = {function.lower().rpartition(".")[0] for function in functions}
    if len(cards) > 1:
        found = f"{name}: members of {len(cards)} cards ({', '.join(functions)})"
        yield Problem(
            "rails_bonds", found, "both ports of one card: no other bond becomes an RDMA device", f"correct them, {own}"
        )
    elif count > 2:
        yield Problem("rails_bonds", f"{name}: {count} members", "two, the ports of one card", f"take some out, {own}")


def _tables(values: dict[str, Any], rows: list[Row]) -> Iterator[Problem]:
    if not values["rails_policy_routing"]:
        return
    numbers = [values["rails_table_base"] + row["rail"] for _, row in rows]
    bad = [number for number in numbers if number in RESERVED_TABLES or not 0 < number < MAIN_RULE]
    if bad:
        allowed = f"tables from 1 to {MAIN_RULE - 1} without {', '.join(map(str, sorted(RESERVED_TABLES[1:])))}"
        found = f"{values['rails_table_base']}: table {bad[0]} for a rail"
        yield Problem("rails_table_base", found, allowed, "1000 is free on most nodes")


def _twice(rows: list[Row]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for variable, row in rows:
        for address in row["addresses"]:
            one = bare(str(interface(address)))
            if one in seen:
                where = f"rail {seen[one]} and rail {row['rail']}"
                yield Problem(variable, f"{one} on {where}", "an address once", "give each rail its own")
            seen[one] = row["rail"]


def _same_subnet(values: dict[str, Any], rows: list[Row]) -> Iterator[Problem]:
    nets = [
        (variable, row["rail"], ipaddress.ip_interface(address).network)
        for variable, row in rows
        for address in row["addresses"]
    ]
    answers = values["rails_arp_ignore"] > 0 and values["rails_arp_announce"] == 2
    for place, (variable, rail, net) in enumerate(nets):
        other = next((one for _, one, held in nets[:place] if one != rail and held.overlaps(net)), None)
        if other is None:
            continue
        where = f"rail {other} and rail {rail} are in one subnet ({net})"
        if net.version == 4 and not answers:
            act = "set rails_arp_ignore: 1 and rails_arp_announce: 2, or give each rail a subnet of its own"
            yield Problem(variable, f"{where}, and any port answers ARP for all of them", "ARP rules", act)
        if not values["rails_policy_routing"]:
            act = "set rails_policy_routing: true, or give each rail a subnet of its own"
            yield Problem(variable, f"{where}, and all leave by the first of them", "a table a rail", act)

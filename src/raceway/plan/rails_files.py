"""The files that keep rails: systemd-networkd's own, and kernel settings by interface; what a boot reads.

A port's file matches its PCI function, so it holds whatever the interface is called; it sorts before those of other
programs, so it is the one that counts. Addresses stay while a cable is pulled: one that goes and comes back moves the
RoCE GID that is made of it (NVIDIA/nccl#2183).
It deliberately writes one set of files a rail, so that one that is refused keeps its own untouched.
"""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Tuple

from ..facts.rails import RailsFacts
from ..model.rails import HASHED, LACP, Bond, Port, Rail, RailsDesired
from ..model.route import MAIN, V6, Route, Rule, family, interface, prefix
from .dropin import render
from .rails_goal import Goal, goal, interface_of

NETWORK_FOLDER = "/etc/systemd/network"
SYSCTL_FOLDER = "/etc/sysctl.d"
# Networkd takes the first file that matches; netplan's start with 10.
STEM = "05-raceway-rail"
SYSCTL_STEM = "91-raceway-rail"
_OURS = re.compile(r"/(?:05|91)-raceway-rail(\d+)[.-]")
Lines = List[str]


def is_ours(path: str) -> bool:
    """Tell whether a path is of a file that rails own.

    >>> is_ours("/etc/systemd/network/05-raceway-rail3.network"), is_ours("/etc/systemd/network/10-mgmt.network")
    (True, False)
    """
    return bool(_OURS.search(path))


def rail_of(path: str) -> int:
    """Return the number of the rail a file of ours is about.

    >>> rail_of("/etc/sysctl.d/91-raceway-rail12.conf")
    12
    """
    found = _OURS.search(path)
    assert found is not None, path
    return int(found[1])


def files(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> Dict[str, str]:
    """Return path → text of all files of one rail."""
    base, wanted = f"{NETWORK_FOLDER}/{STEM}{rail.rail}", goal(rail, desired)
    match = [f"Name={rail.bond.name}", "Kind=bond"] if rail.bond else _match(rail.members[0], facts)
    rows: Dict[str, Lines] = {f"{base}.network": _network(match, wanted)}
    if rail.bond:
        rows[f"{base}.netdev"] = _netdev(rail.bond)
        for number, member in enumerate(rail.members):
            rows[f"{base}-member{number}.network"] = _member(_match(member, facts), rail.bond)
    name = interface_of(rail, facts)
    # Slashes between the parts: the interface's own name may hold a dot.
    settings = [f"net/ipv4/conf/{name}/{key} = {value}" for key, value in wanted.sysctls]
    rows[f"{SYSCTL_FOLDER}/{SYSCTL_STEM}{rail.rail}.conf"] = settings
    return {path: render("rails", lines) for path, lines in rows.items()}


def _match(port: Port, facts: RailsFacts) -> Lines:
    name = facts.ports[port.label]
    pci = facts.hardware[name].pci if name in facts.hardware else ""
    # What stands before is the way there: pci-0000:c9:00.5-pci-10000:e1:00.0 behind a VMD controller.
    return [f"Path=*pci-{pci}"] if pci else [f"MACAddress={facts.links[name].mac}"]


def _network(match: Lines, wanted: Goal) -> Lines:
    lines = ["[Match]", *match, "", "[Link]", "RequiredForOnline=no", "", "[Network]", "DHCP=no", "IPv6AcceptRA=no"]
    lines += ["LinkLocalAddressing=ipv6", "ConfigureWithoutCarrier=yes"]
    lines += [f"Address={one}" for one in wanted.addresses]
    for rule in wanted.rules:
        lines += ["", "[RoutingPolicyRule]", f"From={rule.source}", f"Table={rule.table}", f"Priority={rule.priority}"]
    for route in wanted.routes:
        lines += ["", "[Route]", *_route(route)]
    return lines


def _route(route: Route) -> Lines:
    any_of = "::/0" if route.family == V6 else "0.0.0.0/0"
    lines = [f"Destination={route.destination if '/' in route.destination else any_of}"]
    lines += [f"Gateway={route.gateway}"] if route.gateway else [] if route.family == V6 else ["Scope=link"]
    lines += [f"PreferredSource={route.source}"] if route.source else []
    return [*lines, f"Metric={route.metric}", f"Table={route.table}"]


def _netdev(bond: Bond) -> Lines:
    lines = ["[NetDev]", f"Name={bond.name}", "Kind=bond", *([f"MTUBytes={bond.mtu}"] if bond.mtu else [])]
    lines += ["", "[Bond]", f"Mode={bond.mode}", f"MIIMonitorSec={bond.miimon_ms}ms"]
    lines += [f"TransmitHashPolicy={bond.hash_policy}"] if bond.mode in HASHED else []
    return [*lines, *([f"LACPTransmitRate={bond.lacp_rate}"] if bond.mode == LACP else [])]


def _member(match: Lines, bond: Bond) -> Lines:
    return ["[Match]", *match, "", "[Link]", "RequiredForOnline=no", "", "[Network]", f"Bond={bond.name}"]


def declared_in(texts: Iterable[str]) -> Goal:
    """Return the addresses, rules and routes that files of ours declare, whatever is declared now."""
    addresses: List[str] = []
    rules: List[Rule] = []
    routes: List[Route] = []
    for section, values in (pair for text in texts for pair in _sections(text)):
        if section == "Network":
            addresses += [one for one in map(interface, values.get("Address", ())) if one]
        elif section == "RoutingPolicyRule":
            source = prefix(_one(values, "From")) or ""
            rules.append(Rule(_number(values, "Priority"), source, _number(values, "Table")))
        elif section == "Route":
            routes.append(_read_route(values))
    return Goal(tuple(addresses), tuple(rules), tuple(routes))


def bonds_in(texts: Iterable[str]) -> List[str]:
    """Return the names of the bonds that files of ours make."""
    return [_one(values, "Name") for text in texts for section, values in _sections(text) if section == "NetDev"]


def _read_route(values: Dict[str, List[str]]) -> Route:
    destination = _one(values, "Destination")
    kind = family(destination)
    shown = "default" if destination in ("0.0.0.0/0", "::/0") else prefix(destination) or ""
    table = _number(values, "Table") or MAIN
    return Route(
        shown, table, _one(values, "Gateway"), _number(values, "Metric"), _one(values, "PreferredSource"), kind
    )


def _sections(text: str) -> List[Tuple[str, Dict[str, List[str]]]]:
    found: List[Tuple[str, Dict[str, List[str]]]] = []
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if line.startswith("["):
            found.append((line.strip("[] "), {}))
        elif equals and found and not line.startswith("#"):
            found[-1][1].setdefault(name, []).append(value.strip())
    return found


def _one(values: Dict[str, List[str]], name: str) -> str:
    return (values.get(name) or [""])[0]


def _number(values: Dict[str, List[str]], name: str) -> int:
    text = _one(values, name)
    return int(text) if text.isdigit() else 0

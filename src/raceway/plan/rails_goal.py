"""What one rail is to be on a node, and what it lacks: each lack with the call of ``ip`` that mends it.

It deliberately leaves alone what it did not declare: an address or route that somebody else put on a port stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Dict, List, Sequence, Tuple

from ..facts.rails import RailsFacts
from ..model.rails import Rail, RailsDesired
from ..model.route import DEFAULT, MAIN, V4, V6, Route, Rule, bare, family, network, prefix

# Of the rail's number: the same prefix behind two rails is reached over the lower one while its link is up.
METRIC_BASE = 1000
# Routes over a port whose cable is pulled are passed over, so that another rail's take their place (ip-sysctl).
DEAD_ROUTES = "ignore_routes_with_linkdown"
Call = Tuple[str, ...]


@dataclass(frozen=True)
class Goal:
    """Addresses, rules, routes and settings of one rail's interface."""

    addresses: Tuple[str, ...] = ()
    rules: Tuple[Rule, ...] = ()
    routes: Tuple[Route, ...] = ()
    sysctls: Tuple[Tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Lack:
    """One thing that is not as declared. ``kind``: link, bond, member, address, rule, route or sysctl; ``what``: told.

    ``calls``: the commands that mend it, none for a sysctl (``value`` is then written to ``path`` below /proc/sys).
    """

    kind: str
    what: str
    calls: Tuple[Call, ...] = ()
    path: str = ""
    value: str = ""


def goal(rail: Rail, desired: RailsDesired) -> Goal:
    """Return what the rail's interface is to have."""
    table, metric = desired.table_base + rail.rail, METRIC_BASE + rail.rail
    rules: List[Rule] = []
    routes: List[Route] = []
    if desired.policy:
        rules = [Rule(table, str(prefix(bare(one))), table) for one in rail.addresses]
        routes = [Route(network(one), table, "", metric, _source(one), family(one)) for one in _first_of_net(rail)]
    for gateway in rail.gateways:
        kind = family(gateway)
        source = next((_source(one) for one in rail.addresses if family(one) == kind), "")
        behind = [one for one in rail.routes if family(one) == kind]
        routes += [Route(one, MAIN, gateway, metric, source, kind) for one in behind]
        if desired.policy:
            routes += [Route(one, table, gateway, metric, source, kind) for one in behind or [DEFAULT]]
    settings = dict(desired.sysctls)
    if rail.routes:
        settings[DEAD_ROUTES] = 1
    return Goal(rail.addresses, tuple(rules), tuple(routes), tuple(sorted(settings.items())))


def _source(address: str) -> str:
    # IPv6 takes the address of the interface a packet leaves by anyway, and refuses a route with one that has not yet
    # been found to be nobody else's.
    return bare(address) if family(address) == V4 else ""


def _first_of_net(rail: Rail) -> List[str]:
    """Return one address of each subnet: a table has one route to it."""
    found: Dict[str, str] = {}
    for one in rail.addresses:
        found.setdefault(network(one), one)
    return list(found.values())


def interface_of(rail: Rail, facts: RailsFacts) -> str:
    """Return the name of the interface that has the rail's addresses; empty where there is no such port."""
    return rail.bond.name if rail.bond else facts.ports.get(rail.members[0].label, "")


def lacks(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> List[Lack]:
    """Return what the rail lacks, in the order in which it can be mended."""
    name, wanted = interface_of(rail, facts), goal(rail, desired)
    link = facts.links.get(name)
    rows = [*_bond(rail, facts), *_members(rail, facts)] if rail.bond else []
    if link is None or not link.up:
        rows.append(Lack("link", f"{name} up", (("ip", "link", "set", "dev", name, "up"),)))
    there = link.addresses if link else ()
    rows += [_address(name, one) for one in wanted.addresses if one not in there]
    rows += [_sysctl(name, key, value) for key, value in wanted.sysctls if facts.effective(name, key) != value]
    rows += [_route(name, one) for one in wanted.routes if (name, one) not in facts.routes]
    rows += [_rule(one) for one in wanted.rules if one not in facts.rules]
    return rows


def leftovers(rail: Rail, old: Goal, wanted: Goal, facts: RailsFacts) -> List[Lack]:
    """Return what is stale on the rail's interface and on a bond's members, which have nothing of their own."""
    rows = stale(interface_of(rail, facts), old, wanted, facts)
    for member in rail.members if rail.bond else ():
        rows += stale(facts.ports.get(member.label, ""), replace(old, rules=()), Goal(), facts)
    return rows


def stale(name: str, old: Goal, wanted: Goal, facts: RailsFacts) -> List[Lack]:
    """Return what an earlier declaration put there, is still there, and is declared no more."""
    link = facts.links.get(name)
    there = link.addresses if link else ()
    rows = [
        Lack(
            "rule",
            f"no rule from {one.source} to table {one.table}",
            (("ip", _flag(one.family), "rule", "del", *one.words()),),
        )
        for one in old.rules
        if one not in wanted.rules and one in facts.rules
    ]
    rows += [
        Lack("route", f"no route {one.told}", (("ip", _flag(one.family), "route", "del", *one.words(name)),))
        for one in old.routes
        if one not in wanted.routes and (name, one) in facts.routes
    ]
    rows += [
        Lack("address", f"no address {one}", (("ip", "addr", "del", one, "dev", name),))
        for one in old.addresses
        if one not in wanted.addresses and one in there
    ]
    return rows


def _bond(rail: Rail, facts: RailsFacts) -> List[Lack]:
    assert rail.bond is not None
    name, settings = rail.bond.name, rail.bond.settings()
    link = facts.links.get(name)
    add = ("ip", "link", "add", name, "type", "bond", *(word for pair in settings.items() for word in _words(*pair)))
    rows = []
    if link is None:
        rows.append(Lack("bond", f"{name} ({rail.bond.mode})", (add,)))
    elif must_remake(rail, facts):
        told = f"{name} with {_told(settings)} instead of {_told(link.bond)}"
        rows.append(Lack("bond", told, (("ip", "link", "del", name), add)))
    else:
        rows += [
            Lack(
                "bond", f"{key} {value} of {name}", (("ip", "link", "set", name, "type", "bond", *_words(key, value)),)
            )
            for key, value in settings.items()
            if link.bond.get(key) != value
        ]
    if rail.bond.mtu and (link is None or link.mtu != rail.bond.mtu):
        mtu = str(rail.bond.mtu)
        rows.append(Lack("bond", f"mtu {mtu} of {name}", (("ip", "link", "set", "dev", name, "mtu", mtu),)))
    return rows


def must_remake(rail: Rail, facts: RailsFacts) -> bool:
    """Tell whether a bond is to be made anew: its mode, and LACP's rate, cannot be changed while it has members."""
    link = facts.links.get(rail.bond.name) if rail.bond else None
    if link is None or rail.bond is None:
        return False
    settings = rail.bond.settings()
    return any(settings.get(key, link.bond.get(key)) != link.bond.get(key) for key in ("mode", "ad_lacp_rate"))


def _members(rail: Rail, facts: RailsFacts) -> List[Lack]:
    assert rail.bond is not None
    name, anew = rail.bond.name, must_remake(rail, facts)
    rows = []
    for member in rail.members:
        port = facts.ports.get(member.label, "")
        link = facts.links.get(port)
        if link and (link.master != name or anew):
            # A port joins while it is down; the bond sets it up.
            calls = (("ip", "link", "set", "dev", port, "down"), ("ip", "link", "set", "dev", port, "master", name))
            rows.append(Lack("member", f"{port} in {name}", calls))
        elif link and not link.up:
            rows.append(Lack("member", f"{port} up", (("ip", "link", "set", "dev", port, "up"),)))
    return rows


def _address(name: str, address: str) -> Lack:
    return Lack("address", f"{address} on {name}", (("ip", "addr", "replace", address, "dev", name),))


def _sysctl(name: str, key: str, value: int) -> Lack:
    path = f"net/ipv4/conf/{name}/{key}"
    return Lack("sysctl", f"{key} {value} of {name}", (), path, str(value))


def _route(name: str, route: Route) -> Lack:
    call = ("ip", _flag(route.family), "route", "replace", *route.words(name))
    return Lack("route", f"route {route.told} by {name}", (call,))


def _rule(rule: Rule) -> Lack:
    # Of the protocol that networkd gives its own: else it takes the rule for somebody else's and drops it with the next
    # port it sets up (ManageForeignRoutingPolicyRules; seen with systemd 252).
    call = ("ip", _flag(rule.family), "rule", "add", *rule.words(), "protocol", "static")
    return Lack("rule", f"rule from {rule.source} to table {rule.table}", (call,))


def _flag(kind: int) -> str:
    return "-6" if kind == V6 else "-4"


def _words(key: str, value: str) -> Tuple[str, str]:
    return {"ad_lacp_rate": "lacp_rate"}.get(key, key), value


def _told(settings: object) -> str:
    rows = dict(settings) if isinstance(settings, dict) else {}
    return ", ".join(f"{key} {value}" for key, value in rows.items()) or "nothing known"


def told(rows: Sequence[Lack]) -> str:
    """Return lacks as one text, the first few of them."""
    words = [row.what for row in rows[:4]]
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    return ", ".join(words) + more

"""Why a rail is not set up: each refusal names the port, what was wanted, what was found and the next act.

A port has one owner, and a node one way in: what another program sets up, and what carries the default route or an ssh
connection, is left alone. It deliberately stops at the first reason of a rail.
"""

from __future__ import annotations

from typing import List, Optional

from ..facts.rails import RailsFacts
from ..facts.rails_owner import IFUPDOWN, NETWORK_MANAGER, NETWORKD
from ..model.plan import Refusal
from ..model.rails import MODES, Bond, Rail, RailsDesired
from ..model.route import RESERVED_TABLES, bare
from .rails_files import files, is_ours, rail_of
from .rails_goal import goal, interface_of, lacks

NETPLAN = "netplan"
DEFAULT_ROUTE = "the default route"  # in the words of facts/rdma_carrier.py
FEWEST_MEMBERS = 2


def refusal(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> Optional[Refusal]:
    """Return the refusal of a whole rail, None where it can be made as declared."""
    if facts.problem:
        return Refusal(rail.label, f"what the node has cannot be told: {facts.problem}", "install a current iproute2")
    return (
        _absent(rail, facts)
        or _carried(rail, facts, _settled(rail, desired, facts))
        or _owned(rail, facts)
        or _bond(rail, facts)
        or _addresses(rail, facts)
        or _table(rail, desired, facts)
        or _settings(rail, desired, facts)
    )


def _absent(rail: Rail, facts: RailsFacts) -> Optional[Refusal]:
    for member in rail.members:
        if member.label not in facts.ports:
            there = ", ".join(facts.present) or "no interface with hardware"
            who = f"no such port for member {member.label}" if rail.bond else "no such port"
            act = f"correct {'rails_bonds' if rail.bond else 'rails_ports'}, or look for the card"
            return Refusal(rail.label, f"{who}; there are: {there}", act)
    return None


def _names(rail: Rail, facts: RailsFacts) -> List[str]:
    """Return the interfaces a rail touches: its members, and its bond where that is there."""
    found = [facts.ports[member.label] for member in rail.members]
    return [*found, *([rail.bond.name] if rail.bond and rail.bond.name in facts.links else [])]


def _settled(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> bool:
    """Tell whether nothing is to be done: jobs start their ranks by ssh over rails, and that breaks nothing then."""
    there = {path: text for path, text in facts.files.items() if rail_of(path) == rail.rail}
    return there == files(rail, desired, facts) and not lacks(rail, desired, facts)


def _carried(rail: Rail, facts: RailsFacts, settled: bool) -> Optional[Refusal]:
    for name in _names(rail, facts):
        what = [one for one in facts.carried.get(name, ()) if not settled or DEFAULT_ROUTE in one]
        if what:
            act = "declare another port, or move that first: a rail is never the way into a node"
            return Refusal(rail.label, f"{name} carries {' and '.join(what)}", act)
    return None


def _owned(rail: Rail, facts: RailsFacts) -> Optional[Refusal]:
    for name in _names(rail, facts):
        owner = facts.owners.get(name)
        if owner is None or not owner.by or is_ours(owner.file):
            continue
        if owner.by == NETWORK_MANAGER:
            act = (
                f"nmcli device set {name} managed no, and unmanaged-devices in /etc/NetworkManager/conf.d to keep it so"
            )
            return _other(rail, name, owner.by, f"{act}; systemd-networkd must run")
        if owner.by == IFUPDOWN:
            return _other(rail, name, f"{owner.by} ({owner.file})", f"take {name} out of {owner.file} and ifdown it")
        if not owner.catch_all and owner.file:
            act = f"take {name} out of {owner.file}"
            if NETPLAN in owner.file:
                act = f"take {name} out of /etc/netplan and run netplan apply"
            return _other(rail, name, f"{NETPLAN if NETPLAN in owner.file else owner.by} ({owner.file})", act)
    if not facts.networkd:
        act = f"systemctl enable --now {NETWORKD}; it leaves ports without a file of its own alone"
        return Refusal(rail.label, f"{NETWORKD} does not run, and it is what would keep the rail over boots", act)
    return None


def _other(rail: Rail, name: str, owner: str, act: str) -> Refusal:
    return Refusal(rail.label, f"{name} is set up by {owner}, wanted: raceway alone; a port has one owner", act)


def _bond(rail: Rail, facts: RailsFacts) -> Optional[Refusal]:
    names = [facts.ports[member.label] for member in rail.members]
    for name in names:
        master = facts.links[name].master if name in facts.links else ""
        if master and master != (rail.bond.name if rail.bond else ""):
            kind = facts.links[master].kind if master in facts.links else ""
            act = f"take it out of {master} first (ip link set {name} nomaster), and out of what made it"
            # A bond of ours that was given up frees its members with this very run.
            if master not in facts.owned_bonds:
                return Refusal(rail.label, f"{name} is part of {kind or 'another interface'} {master}", act)
    if rail.bond is None:
        return None
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        return Refusal(rail.label, f"{twice} is two of its members", "name each port once, by one selector")
    return _taken(rail.bond, rail, facts) or _lag(rail.bond, rail, names, facts)


def _taken(bond: Bond, rail: Rail, facts: RailsFacts) -> Optional[Refusal]:
    link = facts.links.get(bond.name)
    if link is None or bond.name in facts.owned_bonds:
        return None
    reason = f"{bond.name} is there already ({link.kind or 'a port'}), and raceway did not make it"
    return Refusal(rail.label, reason, "give the bond another name in rails_bonds, or remove that interface")


def _lag(bond: Bond, rail: Rail, names: List[str], facts: RailsFacts) -> Optional[Refusal]:
    for name in names:
        if not facts.hardware[name].pci:
            act = "use ports with hardware: by its address a member could not be told from its bond"
            return Refusal(rail.label, f"{name} has no PCI function", act)
    if not bond.roce_lag:
        return None
    own = "or set roce_lag: false where no RDMA runs over the bond"
    cards = {name: facts.hardware[name].card for name in names}
    if len(set(cards.values())) > 1:
        shown = ", ".join(f"{name} on {card}" for name, card in cards.items())
        reason = f"a RoCE LAG needs ports of one card, found {shown}: no RDMA device would come of it"
        return Refusal(rail.label, reason, f"bond the ports of one card, {own}")
    if len(names) != FEWEST_MEMBERS:
        reason = f"a RoCE LAG has two ports, declared are {len(names)}"
        return Refusal(rail.label, reason, f"name both ports of one card, {own}")
    for name in names:
        if facts.hardware[name].functions:
            reason = f"a RoCE LAG needs SR-IOV off, {name} has {facts.hardware[name].functions} virtual functions"
            return Refusal(rail.label, reason, f"echo 0 > /sys/class/net/{name}/device/sriov_numvfs, {own}")
    if bond.mode not in MODES:
        reason = f"a RoCE LAG knows mode {', '.join(f'{name} ({number})' for name, number in MODES.items())}"
        return Refusal(rail.label, f"{reason}, declared is {bond.mode}", f"change the mode, {own}")
    return None


def _addresses(rail: Rail, facts: RailsFacts) -> Optional[Refusal]:
    name, holders = interface_of(rail, facts), facts.holders()
    members = [facts.ports[member.label] for member in rail.members]
    for address in rail.addresses:
        holder = holders.get(bare(address), name)
        if holder != name and holder not in members and holder not in facts.owned_devices:
            reason = f"{bare(address)} is on {holder} already, wanted on {name or rail.label}"
            return Refusal(rail.label, reason, f"ip addr del it from {holder}, or declare another address")
    return None


def _table(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> Optional[Refusal]:
    if not desired.policy:
        return None
    table, name = desired.table_base + rail.rail, interface_of(rail, facts)
    act = "set rails_table_base to numbers that are free"
    if table in RESERVED_TABLES:
        return Refusal(rail.label, f"table {table} is the kernel's own", act)
    wanted = goal(rail, desired).rules
    sources = {rule.source for rule in wanted}
    for device, route in facts.routes:
        if route.table == table and device != name and device not in facts.owned_devices:
            return Refusal(rail.label, f"table {table} is in use: it has a route by {device or 'no interface'}", act)
    ours = sources | set(facts.own_sources)
    users = [f"from {rule.source}" for rule in facts.rules if rule.table == table and rule.source not in ours]
    users += [f"of priority {priority}" for priority, used in facts.others if used == table]
    if users:
        return Refusal(rail.label, f"table {table} is in use: the rule {users[0]} looks in it", act)
    return None


def _settings(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> Optional[Refusal]:
    """The kernel takes the higher of ``all`` and the port's own, so a lower one cannot come into effect."""
    for setting, wanted in goal(rail, desired).sysctls:
        top = facts.sysctls.get("all", {}).get(setting)
        if top is not None and top > wanted:
            key = f"net.ipv4.conf.all.{setting}"
            reason = f"{setting} {wanted} is wanted on the port, {key} is {top} and the higher one counts"
            return Refusal(rail.label, reason, f"set {key} to {wanted} or less in kernel_sysctl, or declare {top}")
    return None

"""Finds declared ports in sysfs and reads addresses, routes and rules with ip, settings and owners from files.

It deliberately starts no program where no rail is declared and none was set up.
"""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..facts import bonding, ip_addr, ip_route, ip_rule
from ..facts.ip_addr import Link
from ..facts.natural import natural
from ..facts.rails import Hardware, RailsFacts
from ..facts.rails_owner import (
    IFUPDOWN,
    NETWORK_MANAGER,
    NETWORKD,
    Owner,
    catches_all,
    managed_by_network_manager,
    networkd_link,
    stanzas,
)
from ..facts.reading import joined, number
from ..host import Host, Ledger
from ..model.rails import RailsDesired
from ..model.route import V4, V6
from ..plan.rails_files import NETWORK_FOLDER, SYSCTL_FOLDER, bonds_in, declared_in, is_ours
from ..plan.rails_goal import DEAD_ROUTES
from . import rdma_carrier
from .roce import interfaces, pci_function

NET = "/sys/class/net"
CONF = "/proc/sys/net/ipv4/conf"
IPV6 = "/proc/sys/net/ipv6"
NETWORKD_LINKS = "/run/systemd/netif/links"
NM_DEVICES = "/run/NetworkManager/devices"
INTERFACES = "/etc/network/interfaces"
NOUN = "rails"


def probe(host: Host, desired: RailsDesired, ledger: Ledger) -> RailsFacts:
    """Return the facts the rails planner compares with ``desired``."""
    owned = ledger.owned(NOUN)
    files = own_files(host)
    if desired.platform == "container" or not (desired.rails or owned or files):
        return RailsFacts()
    carried, unknown = rdma_carrier.probe(host)
    found = look(host, desired, owned, files, carried)
    return replace(found, problem=joined(found.problem, unknown))


def look(
    host: Host,
    desired: RailsDesired,
    owned: Mapping[str, Any],
    files: Mapping[str, str],
    carried: Mapping[str, Tuple[str, ...]],
) -> RailsFacts:
    """Return the facts with what was found out before as it is given; read again while a change takes effect."""
    present = labels(host)
    links, problems = _links(host)
    rules, others, routes, more = _routing(host)
    wanted = dict.fromkeys([one.label for rail in desired.rails for one in rail.members] + list(owned))
    ports = {label: present[label] for label in wanted if label in present}
    bonds = [*bonds_in(files.values()), *(str(was["bond"]) for was in owned.values() if was.get("bond"))]
    named = [rail.bond.name for rail in desired.rails if rail.bond] + bonds
    touched = dict.fromkeys([*ports.values(), *(name for name in named if name in links)])
    settings = dict.fromkeys([*desired.sysctls, DEAD_ROUTES])
    return RailsFacts(
        ports=ports,
        present=tuple(_told(name, present) for name in sorted(dict.fromkeys(present.values()), key=natural)),
        links=links,
        hardware={name: _hardware(host, name) for name in ports.values()},
        bonds={name: bonding.parse(host.read(f"/proc/net/bonding/{name}") or "") for name in touched if name in named},
        rules=rules,
        others=others,
        routes=routes,
        sysctls={name: _settings(host, name, settings) for name in ("all", *touched)},
        carried=carried,
        owners={name: _owner(host, links[name]) for name in touched if name in links},
        files=files,
        owned=owned,
        owned_bonds=tuple(dict.fromkeys(bonds)),
        own_sources=tuple(rule.source for rule in declared_in(files.values()).rules),
        networkd=host.run(["systemctl", "is-active", f"{NETWORKD}.service"]).out.strip() == "active",
        problem=joined(problems, *more),
    )


def own_files(host: Host) -> Dict[str, str]:
    """Return path → text of the files of rails, of whatever rails there were."""
    paths = [f"{folder}/{name}" for folder in (NETWORK_FOLDER, SYSCTL_FOLDER) for name in host.listdir(folder)]
    return {path: host.read(path) or "" for path in paths if is_ours(path)}


def labels(host: Host) -> Dict[str, str]:
    """Return label → interface; a bond's member is known by the address it had before it joined."""
    found = interfaces(host)
    for name in host.listdir(NET):
        own = (host.read(f"{NET}/{name}/bonding_slave/perm_hwaddr") or "").strip().lower()
        if own:
            found[f"mac {own}"] = name
    return found


def _links(host: Host) -> Tuple[Dict[str, Link], str]:
    done = host.run(["ip", "-j", "-d", "addr", "show"])
    found = ip_addr.parse(done.out if done.rc == 0 else f"{done.out}{done.err}")
    return {link.name: link for link in found.links}, found.problem


def _routing(host: Host) -> Tuple[Any, Any, Any, List[str]]:
    # A kernel without IPv6 would answer with an error, which is none.
    families = [V4, V6] if host.exists(IPV6) else [V4]
    rules: List[Any] = []
    others: List[Any] = []
    routes: List[Any] = []
    problems: List[str] = []
    for family in families:
        found = ip_rule.parse(_ask(host, ["ip", "-N", "-j", f"-{family}", "rule", "show"], problems))
        rules += found.rules
        others += found.others
        # No route at all may be printed as nothing.
        text = _ask(host, ["ip", "-N", "-j", f"-{family}", "route", "show", "table", "all"], problems)
        ways = ip_route.parse(text or "[]", family)
        routes += ways.routes
        problems += [one for one in (found.problem, ways.problem) if one]
    return tuple(rules), tuple(others), tuple(routes), problems


def _ask(host: Host, call: List[str], problems: List[str]) -> str:
    done = host.run(call)
    if done.rc:
        problems.append(f"{' '.join(call)}: {(done.err or done.out).strip() or f'exit status {done.rc}'}")
    return done.out


def _hardware(host: Host, name: str) -> Hardware:
    folder = f"{NET}/{name}/device"
    return Hardware(
        pci=pci_function(host, name),
        driver=posixpath.basename(host.readlink(f"{folder}/driver") or ""),
        functions=number(host.read(f"{folder}/sriov_numvfs")) or 0,
    )


def _settings(host: Host, name: str, settings: Any) -> Dict[str, Optional[int]]:
    return {key: number(host.read(f"{CONF}/{name}/{key}")) for key in settings}


def _owner(host: Host, link: Link) -> Owner:
    device = host.read(f"{NM_DEVICES}/{link.index}")
    if device and managed_by_network_manager(device):
        return Owner(NETWORK_MANAGER)
    for path in (INTERFACES, *(f"{INTERFACES}.d/{name}" for name in host.listdir(f"{INTERFACES}.d"))):
        if link.name in stanzas([host.read(path) or ""]):
            return Owner(IFUPDOWN, path)
    seen = networkd_link(host.read(f"{NETWORKD_LINKS}/{link.index}") or "")
    file = seen.get("NETWORK_FILE", "")
    catch_all = bool(file) and catches_all(host.read(file) or "")
    return Owner(NETWORKD if file else "", file, seen.get("ADMIN_STATE", ""), catch_all)


def _told(device: str, present: Dict[str, str]) -> str:
    return f"{device} ({', '.join(label for label, name in present.items() if name == device)})"

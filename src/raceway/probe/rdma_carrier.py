"""Asks ip and ss which interfaces carry the default route and ssh connections, and what lies below them."""

from __future__ import annotations

from typing import Dict, Tuple

from ..facts import rdma_carrier as facts
from ..facts.qdisc import parse_default_routes
from ..host import Host

NET = "/sys/class/net"
SSHD_CONFIG = "/etc/ssh/sshd_config"
SSHD_FOLDER = "/etc/ssh/sshd_config.d"
ROUTES = ("ip", "-j", "route", "show", "default")
ROUTES_6 = ("ip", "-6", "-j", "route", "show", "default")
ADDRESSES = ("ip", "-j", "address", "show")
SESSIONS = ("ss", "-tnH", "state", "established")


def probe(host: Host) -> Tuple[Dict[str, Tuple[str, ...]], str]:
    """Return interface → what it carries that must not break, or why that cannot be known."""
    answers = {" ".join(words): host.run(words) for words in (ROUTES, ROUTES_6, ADDRESSES, SESSIONS)}
    # A kernel without IPv6 has no such routes; every other silence could hide the route to this node.
    lost = [f"{line}: {done.err.strip() or done.rc}" for line, done in answers.items() if done.rc and "-6" not in line]
    if lost:
        return {}, "; ".join(lost)
    routes, routes_6, addresses, sessions = (done.out if done.rc == 0 else "" for done in answers.values())
    try:
        defaults = [*parse_default_routes(routes), *parse_default_routes(routes_6)]
    except ValueError:
        return {}, f"{' '.join(ROUTES)} printed no JSON: iproute2 is too old"
    configs = [SSHD_CONFIG, *(f"{SSHD_FOLDER}/{name}" for name in host.listdir(SSHD_FOLDER) if name.endswith(".conf"))]
    ports = facts.ssh_ports(*(host.read(path) or "" for path in configs))
    open_now = facts.ssh_sessions(sessions, ports)
    return facts.carriers(defaults, open_now, facts.addresses(addresses), _below(host)), ""


def _below(host: Host) -> Dict[str, Tuple[str, ...]]:
    found: Dict[str, Tuple[str, ...]] = {}
    for name in host.listdir(NET):
        lower = [entry[len("lower_") :] for entry in host.listdir(f"{NET}/{name}") if entry.startswith("lower_")]
        # A child of an IPoIB interface names its parent in a file instead of a link.
        parent = (host.read(f"{NET}/{name}/parent") or "").strip()
        found[name] = tuple([*lower, parent] if parent else lower)
    return found

"""Asks tc for queueing disciplines, ip for default routes, and sysfs for the links themselves.

It deliberately starts no program where nothing is declared and nothing was taken over.
"""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

from ..facts.module import ABSENT
from ..facts.qdisc import Link, Qdisc, QdiscFacts, parse_default_routes, parse_qdiscs
from ..host import Host, Ledger
from ..model.qdisc import QdiscDesired
from .module import states

NET = "/sys/class/net/"
FLAG_UP = 0x1  # IFF_UP of netdevice(7)
SHOW = ("tc", "-j", "qdisc", "show")
ROUTES = (("ip", "-j", "-4", "route", "show", "default"), ("ip", "-j", "-6", "route", "show", "default"))


def probe(host: Host, desired: QdiscDesired, ledger: Ledger) -> QdiscFacts:
    """Return the facts the qdisc planner compares with ``desired``."""
    owned = ledger.owned("qdisc")
    if not desired.kind and not owned:
        return QdiscFacts()
    roots, problem = read_qdiscs(host)
    routes, no_routes = _default_routes(host) if desired.default_route else ((), "")
    wanted = dict.fromkeys([*desired.interfaces, *routes, *owned])
    return QdiscFacts(
        roots=roots,
        links=_links(host, tuple(wanted)),
        default_routes=routes,
        has_kind=not desired.kind or _has_kind(host, desired.kind, roots),
        problem=problem or no_routes,
        owned=owned,
    )


def read_qdiscs(host: Host) -> Tuple[Dict[str, Qdisc], str]:
    """Return every interface's root, or why tc did not say."""
    done = host.run(SHOW)
    if done.rc:
        return {}, f"{' '.join(SHOW)}: {done.err.strip() or f'exit status {done.rc}'}"
    try:
        return parse_qdiscs(done.out), ""
    except ValueError:
        return {}, f"{' '.join(SHOW)} printed no JSON: iproute2 is too old"


def _default_routes(host: Host) -> Tuple[Tuple[str, ...], str]:
    found: Dict[str, None] = {}
    for argv in ROUTES:
        done = host.run(argv)
        # A kernel without IPv6 answers with an error; without IPv4 there is no default route to find.
        if done.rc and argv[2] == "-4":
            return (), f"{' '.join(argv)}: {done.err.strip() or f'exit status {done.rc}'}"
        if done.rc == 0:
            found.update(dict.fromkeys(parse_default_routes(done.out)))
    return tuple(found), ""


def _links(host: Host, wanted: Tuple[str, ...]) -> Mapping[str, Link]:
    links = {}
    for name in wanted:
        if host.exists(NET + name):
            flags = (host.read(f"{NET}{name}/flags") or "0").strip()
            # A link without a device below it, and not stacked on hardware by a driver, was made by the kernel alone.
            links[name] = Link(bool(int(flags, 0) & FLAG_UP), "/virtual/" in (host.readlink(NET + name) or ""))
    return links


def _has_kind(host: Host, kind: str, roots: Mapping[str, Qdisc]) -> bool:
    used = {root.kind for root in roots.values()} | {name for root in roots.values() for _, name in root.children}
    if kind in used or kind in ("pfifo_fast", "pfifo", "bfifo", "mq", "noqueue"):  # these are part of every kernel
        return True
    kernel = (host.read("/proc/sys/kernel/osrelease") or "").strip()
    module = f"sch_{kind}"
    return states(host, [module], kernel)[module].state != ABSENT

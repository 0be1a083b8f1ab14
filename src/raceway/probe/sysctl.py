"""Reads live kernel settings, every file that sets one at boot, and the active TuneD profile."""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..facts.sysctl import Assignment, Live, SysctlFacts, boot_order, parse_conf, parse_tuned, sysctl_loses
from ..host import Host, Ledger
from ..model.sysctl import SysctlDesired
from .tuned import active_profiles

PROC = "/proc/sys/"
FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d")
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"


def probe(host: Host, desired: SysctlDesired, ledger: Ledger) -> SysctlFacts:
    """Return the facts the sysctl planner compares with ``desired``; keys that raceway owns are read too."""
    owned = ledger.owned("sysctl")
    paths = dict.fromkeys([s.path for s in desired.settings] + list(owned))
    return SysctlFacts(
        live={path: _live(host, path) for path in paths},
        assignments=_assignments(host),
        own_file=host.read(desired.file),
        owned=owned,
        congestion_controls=tuple((host.read(AVAILABLE) or "").split()),
        tuned=_tuned(host),
    )


def _live(host: Host, path: str) -> Live:
    full = PROC + path
    if not host.exists(full):
        return Live(None)
    value = host.read(full)
    return Live(None if value is None else " ".join(value.split()), host.writable(full), value is not None)


def _assignments(host: Host) -> Tuple[Assignment, ...]:
    files = [f"{folder}/{name}" for folder in FOLDERS for name in host.listdir(folder) if name.endswith(".conf")]
    ordered = list(boot_order(files))
    # `sysctl --system` (procps) reads /etc/sysctl.conf last; systemd-sysctl reads it through a link where there is one.
    if not any(_is_sysctl_conf(host, path) for path in ordered):
        ordered.append("/etc/sysctl.conf")
    rows: List[Assignment] = []
    for path in ordered:
        rows.extend(parse_conf(host.read(path) or "", path))
    return tuple(rows)


def _is_sysctl_conf(host: Host, path: str) -> bool:
    return (host.readlink(path) or "").endswith("sysctl.conf")


def _tuned(host: Host) -> Tuple[Assignment, ...]:
    """Return what the active profile sets, parents first; nothing where TuneD lets sysctl files win (its default)."""
    if not sysctl_loses(host.read("/etc/tuned/tuned-main.conf") or ""):
        return ()
    values: Dict[str, Assignment] = {}
    for path, text in active_profiles(host):
        for row in parse_tuned(text, path):
            values[row.path] = row
    return tuple(values.values())

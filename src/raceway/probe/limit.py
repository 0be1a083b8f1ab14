"""Reads limits files, the manager's files, the limits of the units that carry workloads, and what is in force.

It deliberately asks the manager only when a limit is declared or was taken over: the question costs a process.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

from ..facts.limit import (
    LimitFacts,
    LimitLine,
    ManagerLine,
    by_name,
    parse_bounds,
    parse_limits,
    parse_manager,
    parse_show,
)
from ..host import Host, Ledger
from ..model.limit import ITEMS, LimitDesired, setting_of

LIMITS_CONF = "/etc/security/limits.conf"
LIMITS_FOLDER = "/etc/security/limits.d"
MANAGER_CONF = "/etc/systemd/system.conf"
MANAGER_FOLDERS = ("/etc/systemd/system.conf.d", "/run/systemd/system.conf.d", "/usr/lib/systemd/system.conf.d")
UNIT_FOLDERS = ("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
# Units whose children are jobs and pods: a low limit of theirs is what a training process gets.
WORKLOAD_UNITS = ("containerd.service", "crio.service", "docker.service", "kubelet.service", "slurmd.service")
RUNNING = "/run/systemd/system"  # exists exactly where systemd is the init (sd_booted(3))


def probe(host: Host, desired: LimitDesired, ledger: Ledger) -> LimitFacts:
    """Return the facts the limit planner compares with ``desired``."""
    owned = ledger.owned("limit")
    known = [limit.item for limit in desired.limits if limit.item in ITEMS]
    settings = tuple(dict.fromkeys([setting_of(item) for item in known] + list(owned)))
    nr_open = (host.read("/proc/sys/fs/nr_open") or "").strip()
    return LimitFacts(
        lines=_lines(host),
        manager_lines=_manager_lines(host),
        unit_lines=_unit_lines(host) if settings else (),
        manager=effective(host, settings),
        nr_open=int(nr_open) if nr_open.isdigit() else 0,
        bounds=parse_bounds(*(host.read(f"/proc/1/{name}") or "" for name in ("limits", "status", "uid_map"))),
        # Debian's pam_limits logs a limit it cannot set and goes on; elsewhere the session is denied.
        strict_pam=not host.exists("/etc/debian_version"),
        limits_file=host.read(desired.limits_file),
        manager_file=host.read(desired.manager_file),
        owned=owned,
    )


def effective(host: Host, settings: Tuple[str, ...]) -> Optional[Mapping[str, str]]:
    """Return what the running manager gives to new units, hard and soft; None where systemd does not run or answer."""
    if not host.exists(RUNNING):
        return None
    if not settings:
        return {}
    wanted = [name for setting in settings for name in (setting, f"{setting}Soft")]
    done = host.run(["systemctl", "show", "--property", ",".join(wanted)])
    return parse_show(done.out) if done.rc == 0 else None


def _lines(host: Host) -> Tuple[LimitLine, ...]:
    files = [LIMITS_CONF, *(f"{LIMITS_FOLDER}/{n}" for n in host.listdir(LIMITS_FOLDER) if n.endswith(".conf"))]
    return tuple(row for path in files for row in parse_limits(host.read(path) or "", path))


def _manager_lines(host: Host) -> Tuple[ManagerLine, ...]:
    found = [f"{folder}/{n}" for folder in MANAGER_FOLDERS for n in host.listdir(folder) if n.endswith(".conf")]
    files = [MANAGER_CONF, *by_name(found)]
    return tuple(row for path in files for row in parse_manager(host.read(path) or "", path, "DefaultLimit"))


def _unit_lines(host: Host) -> Tuple[ManagerLine, ...]:
    rows: Dict[Tuple[str, str], ManagerLine] = {}
    for unit in WORKLOAD_UNITS:
        for path in _unit_files(host, unit):
            for row in parse_manager(host.read(path) or "", path, "Limit", unit):
                rows[(unit, row.key)] = row
    return tuple(rows.values())


def _unit_files(host: Host, unit: str) -> List[str]:
    own = host.first(f"{folder}/{unit}" for folder in UNIT_FOLDERS)
    drops = [f"{f}/{unit}.d/{n}" for f in UNIT_FOLDERS for n in host.listdir(f"{f}/{unit}.d") if n.endswith(".conf")]
    return ([own] if own else []) + list(by_name(drops))

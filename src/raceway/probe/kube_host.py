"""Reads what pods depend on from /proc, /sys and the file systems; asks a declared API server for the time."""

from __future__ import annotations

import os
from typing import Optional, Tuple

from ..facts.kube_host import Disk, KubeHostFacts, parse_swaps
from ..host import Host, Ledger
from ..host.clock import ahead_of, synchronised
from ..model.kube_host import KubeHostDesired, cpu_list
from .package import find_manager, installed

CGROUP = "/sys/fs/cgroup"
CONNTRACK = "/proc/sys/net/netfilter/nf_conntrack_max"


def probe(host: Host, desired: KubeHostDesired, ledger: Ledger) -> KubeHostFacts:
    """Return the facts the planner judges."""
    del ledger
    if not desired.present:
        return KubeHostFacts()
    missing = tuple(name for name in desired.programs if host.which(name) is None)
    address, _, port = desired.endpoint.rpartition(":")
    disks = {path: disk for path in desired.folders for disk in [_disk(host, path)] if disk}
    return KubeHostFacts(
        swaps=parse_swaps(host.read("/proc/swaps") or ""),
        cgroup=_cgroup(host),
        systemd=host.exists("/run/systemd/system"),
        missing=missing,
        packages=_coming(host, tuple(desired.programs[name] for name in missing)),
        forward=(host.read("/proc/sys/net/ipv4/ip_forward") or "").strip(),
        conntrack=host.exists(CONNTRACK),
        disks=disks,
        clock=synchronised(host),
        ahead_s=ahead_of(host, address.strip("[]"), int(port)) if port.isdigit() else None,
        cpus=cpu_list((host.read("/sys/devices/system/cpu/online") or "").strip()),
        numa=_numa(host),
    )


def _cgroup(host: Host) -> int:
    if host.exists(f"{CGROUP}/cgroup.controllers"):
        return 2
    return 1 if host.exists(f"{CGROUP}/memory") else 0


def _coming(host: Host, packages: Tuple[str, ...]) -> Tuple[str, ...]:
    names = [name for name in dict.fromkeys(packages) if name]
    there = installed(host, find_manager(host), names) if names else {}
    return tuple(name for name in names if name not in there)


def _disk(host: Host, path: str) -> Optional[Disk]:
    while path != "/" and not host.exists(path):
        path = os.path.dirname(path)
    try:
        info = os.statvfs(host.path(path))
    except OSError:
        return None
    return Disk(info.f_blocks * info.f_frsize, info.f_bavail * info.f_frsize, info.f_files, info.f_favail)


def _numa(host: Host) -> Tuple[int, ...]:
    names = host.listdir("/sys/devices/system/node")
    return tuple(sorted(int(name[4:]) for name in names if name.startswith("node") and name[4:].isdigit()))

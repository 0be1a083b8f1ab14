"""Reads the container runtime: its files, its service, what runs in it, and the file system its data lies on.

It deliberately asks containerd itself for nothing but its version: what it was started with is in files and in /proc.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from ..facts.containerd import ContainerdFacts, parse_version
from ..facts.mount import parse_mountinfo
from ..facts.rdma_memlock import parse_soft
from ..host import Host, Ledger
from ..model.containerd import CERTS, CONFIG, CRICTL, DROP_IN, MADE, UNIT, UNIT_FILE, ContainerdDesired, hosts_file
from ..plan.dropin import BOOK
from .kube_service import containers, service

IMAGE_BOOK, FOLDER_BOOK = "kube_image", "containerd_folder"
OURS = (UNIT_FILE, DROP_IN, CONFIG, CRICTL)
ETC = (f"{CERTS}/", *OURS)


def probe(host: Host, desired: ContainerdDesired, ledger: Ledger) -> ContainerdFacts:
    """Return the facts the planner compares with ``desired``."""
    owned = tuple(path for path in ledger.owned(BOOK) if path.startswith(ETC))
    images = tuple(ledger.owned(IMAGE_BOOK))
    if not (desired.present or owned or images):
        return ContainerdFacts()
    paths = dict.fromkeys([*OURS, *(hosts_file(registry) for registry in desired.mirrors), *owned])
    found = {path: host.read(path) for path in paths}
    return ContainerdFacts(
        service=service(host, ledger, UNIT),
        files={path: text for path, text in found.items() if text is not None},
        owned=owned,
        containers=containers(host),
        version=parse_version(host.run(["containerd", "--version"]).out),
        filesystem=filesystem(host, desired.root),
        programs=tuple(one.binary for one in desired.runtimes if host.exists(one.binary)),
        memlock=_memlock(host),
        images=images,
        unmounted=unmounted(host, desired.mounts),
        folders=tuple(path for path in MADE if path in ledger.owned(FOLDER_BOOK)),
    )


def filesystem(host: Host, path: str) -> str:
    """Return the type of the file system that a path lies on, or would lie on; empty where it cannot be told."""
    kinds = {one.path: one.fstype for one in parse_mountinfo(host.read("/proc/self/mountinfo") or "", _above(path))}
    return next((kinds[part] for part in _above(path) if part in kinds), "")


def unmounted(host: Host, points: Sequence[str]) -> Tuple[str, ...]:
    """Return those of ``points`` on which nothing is mounted."""
    if not points:
        return ()
    there = {one.path for one in parse_mountinfo(host.read("/proc/self/mountinfo") or "", points)}
    return tuple(point for point in points if point not in there)


def _above(path: str) -> Tuple[str, ...]:
    """Return a path and all folders above it, innermost first.

    >>> _above("/var/lib")
    ('/var/lib', '/var', '/')
    """
    parts = path.strip("/").split("/")
    return (*("/" + "/".join(parts[:count]) for count in range(len(parts), 0, -1)), "/")


def _memlock(host: Host) -> str:
    pid = main_pid(host, UNIT)
    return parse_soft(host.read(f"/proc/{pid}/limits") or "") if pid else ""


def main_pid(host: Host, unit: str) -> Optional[str]:
    """Return the main process of a unit from its control group, where its first process is named."""
    for tree in ("/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/systemd/system.slice"):
        words = (host.read(f"{tree}/{unit}/cgroup.procs") or "").split()
        if words:
            return words[0]
    return None

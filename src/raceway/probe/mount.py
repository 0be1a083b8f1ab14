"""Reads mounts, their units and their points from files alone: no program is started, and no mounted folder entered.

What is mounted is taken from the kernel's table before any path is looked at: a stat of a network share can hang.
"""

from __future__ import annotations

import os
from typing import List, Optional

from ..facts.mount import Device, Mounted, MountFacts, Point, covering, parse_fstab, parse_mountinfo
from ..host import Host, Ledger
from ..model.mount import NETWORK, UNIT_FOLDER, Mount, MountDesired, bad_path, device_link, escape

MOUNTINFO = "/proc/self/mountinfo"
FSTAB = "/etc/fstab"
BOOK, FILE_BOOK = "mount", "mount_file"
_TARGETS = ("local-fs.target", "remote-fs.target")


def probe(host: Host, desired: MountDesired, ledger: Ledger) -> MountFacts:
    """Return the facts of every declared mount and of every one raceway has made."""
    owned = ledger.owned(BOOK)
    declared = {mount.path: mount for mount in desired.mounts if not bad_path(mount.path)}
    paths = list(dict.fromkeys([*declared, *owned]))
    if not paths:
        return MountFacts(owned=owned)
    table = host.read(MOUNTINFO) or ""
    there = {row.path: row for row in parse_mountinfo(table, paths)}
    points = {}
    for path in paths:
        mount = declared.get(path)
        points[path] = _point(host, path, there.get(path), mount, table)
    return MountFacts(points, parse_fstab(host.read(FSTAB) or ""), owned)


def mounted(host: Host, path: str) -> Optional[Mounted]:
    """Return what is mounted at a path now."""
    rows = parse_mountinfo(host.read(MOUNTINFO) or "", [path])
    return rows[-1] if rows else None


def _point(host: Host, path: str, now: Optional[Mounted], mount: Optional[Mount], table: str) -> Point:
    name = escape(path) + ".mount"
    link = "" if now else _link(host, path)
    info = None if now else host.stat(path)
    unit_link = host.readlink(UNIT_FOLDER + name)
    return Point(
        kind="dir" if now else info.kind if info else "",
        entries=_entries(host, path, now, declared=mount is not None),
        link=link,
        missing=() if now else tuple(_missing(host, path)),
        unit=None if unit_link is not None else host.read(UNIT_FOLDER + name),
        unit_link=unit_link,
        enabled=any(host.exists(f"{UNIT_FOLDER}{target}.wants/{name}") for target in _TARGETS),
        mounted=now,
        device=_device(host, mount) if mount and mount.local_disk else None,
        bind_source=covering(parse_mountinfo(table), mount.source) if mount and mount.bind else None,
    )


def _entries(host: Host, path: str, now: Optional[Mounted], declared: bool) -> int:
    """Count what a mount would hide, or an unmount take away. A share is not entered: it may not answer."""
    if now and (declared or now.fstype in NETWORK):
        return 0 if declared else 1
    return len([name for name in host.listdir(path) if name != "lost+found"])


def _link(host: Host, path: str) -> str:
    parts = path.strip("/").split("/")
    above = ("/" + "/".join(parts[:number]) for number in range(1, len(parts) + 1))
    return next((part for part in above if host.readlink(part) is not None), "")


def _missing(host: Host, path: str) -> List[str]:
    missing: List[str] = []
    while path != "/" and not host.exists(path):
        missing.append(path)
        path = os.path.dirname(path)
    return missing


def _device(host: Host, mount: Mount) -> Optional[Device]:
    """Follow a link below /dev to the device node; None where the link is not there."""
    path = device_link(mount.source)
    for _ in range(4):  # by-id → dm-0 is one step; more than a few is a loop
        link = host.readlink(path)
        if link is None:
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), link))
    if host.readlink(path) is not None or not host.exists(path):
        return None
    number = host.read(f"/sys/class/block/{os.path.basename(path)}/dev") or ""
    return Device(path, number.strip())

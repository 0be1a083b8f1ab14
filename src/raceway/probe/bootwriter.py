"""Reads tmpfiles.d and the active TuneD profile for values they write into /sys at boot."""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..facts.bootwriter import BootWrite, parse_profile, parse_tmpfiles, tmpfiles_order
from ..host import Host
from .tuned import active_profiles

FOLDERS = ("/etc/tmpfiles.d", "/run/tmpfiles.d", "/usr/lib/tmpfiles.d")


def tmpfiles(host: Host) -> Tuple[BootWrite, ...]:
    """Return all ``w`` lines in the order systemd-tmpfiles reads them (for one path the first one counts)."""
    files = [f"{folder}/{name}" for folder in FOLDERS for name in host.listdir(folder) if name.endswith(".conf")]
    return tuple(row for path in tmpfiles_order(files) for row in parse_tmpfiles(host.read(path) or "", path))


def tuned(host: Host) -> Tuple[BootWrite, ...]:
    """Return the options of the active TuneD profile, a child's over its parents'."""
    rows: List[BootWrite] = []
    for path, text in active_profiles(host):
        rows.extend(parse_profile(text, path))
    last: Dict[str, BootWrite] = {row.path: row for row in rows}
    return tuple(last.values())

"""Finds the active TuneD profile with everything it includes, parents first.

It deliberately does not say what a profile's options mean: each noun reads the section that concerns it.
"""

from __future__ import annotations

from typing import List, Tuple

from ..facts.sysctl import tuned_includes
from ..host import Host

FOLDERS = ("/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned")
DEEPEST = 8  # TuneD itself refuses include loops; eight levels are more than any profile has


def active_profiles(host: Host) -> Tuple[Tuple[str, str], ...]:
    """Return (path, text) of each profile in force in the order TuneD merges them; nothing without TuneD."""
    rows: List[Tuple[str, str]] = []
    for name in (host.read("/etc/tuned/active_profile") or "").split():
        rows.extend(_with_parents(host, name, depth=0))
    return tuple(rows)


def _with_parents(host: Host, name: str, depth: int) -> List[Tuple[str, str]]:
    path = host.first(f"{folder}/{name}/tuned.conf" for folder in FOLDERS)
    if path is None or depth > DEEPEST:
        return []
    text = host.read(path) or ""
    rows: List[Tuple[str, str]] = []
    for parent in tuned_includes(text):
        rows.extend(_with_parents(host, parent, depth + 1))
    return [*rows, (path, text)]

"""Who writes kernel files in /sys at boot besides raceway: tmpfiles.d ``w`` lines and the active TuneD profile.

Input is tmpfiles.d(5), seven columns, and TuneD's ini files::

    w /sys/kernel/mm/transparent_hugepage/enabled - - - - never
    [vm]
    transparent_hugepages = always

It deliberately keeps only what writes a value; folders, links and clean-up ages are not its subject.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Dict, Iterable, Tuple


@dataclass(frozen=True)
class BootWrite:
    """One value written at boot: path (globs allowed) or TuneD option, value, file and line number."""

    path: str
    value: str
    file: str
    line: int


def parse_tmpfiles(text: str, file: str) -> Tuple[BootWrite, ...]:
    """Return the ``w`` lines of one file (``w+`` and ``w!`` are forms of it)."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split(None, 6)
        if len(words) == 7 and words[0].rstrip("+!-=") == "w":
            rows.append(BootWrite(words[1], words[6].strip(), file, number))
    return tuple(rows)


def tmpfiles_order(files: Iterable[str]) -> Tuple[str, ...]:
    """Return files in the order systemd-tmpfiles reads them: by name; /etc hides the same name in /run and /usr."""
    chosen: Dict[str, str] = {}
    for path in sorted(files, key=lambda p: (not p.startswith("/etc/"), not p.startswith("/run/"), p)):
        chosen.setdefault(path.rsplit("/", 1)[1], path)
    return tuple(chosen[name] for name in sorted(chosen))


def writes(row: BootWrite, path: str) -> bool:
    """Tell whether a row writes ``path`` (its own path may be a glob; ``path`` may be the same glob)."""
    return row.path == path or fnmatch.fnmatchcase(path, row.path)


def parse_profile(text: str, file: str) -> Tuple[BootWrite, ...]:
    """Return every option of a TuneD profile as ``section.option`` in order.

    >>> parse_profile("[cpu]\\ngovernor=performance|schedutil\\n", "f")[0].path
    'cpu.governor'
    """
    rows, section = [], ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line:
            key, value = line.split("=", 1)
            rows.append(BootWrite(f"{section}.{key.strip()}", value.strip(), file, number))
    return tuple(rows)

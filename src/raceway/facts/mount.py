r"""What is mounted where, from /proc/self/mountinfo, and which lines /etc/fstab has.

One line a mount (proc_pid_mountinfo(5)), blanks inside a field as octal escapes::

    36 35 0:41 / /scratch rw,relatime shared:1 - tmpfs tmpfs rw,size=65536k
    98 35 259:1 / /mnt/with\040blank rw,noatime - xfs /dev/nvme0n1 rw,attr2,inode64
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Optional, Tuple

_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mounted:
    """One mount. ``flags`` belong to this mount, ``super`` to the file system; ``root`` is not / for a bind."""

    path: str
    root: str
    dev: str
    fstype: str
    source: str
    flags: Tuple[str, ...]
    super: Tuple[str, ...]

    @property
    def options(self) -> Tuple[str, ...]:
        """All options the kernel shows, each once; read-only if either the mount or its file system is."""
        shown = list(dict.fromkeys([*self.flags, *self.super]))
        return tuple(option for option in shown if option != "rw" or "ro" not in shown)


@dataclass(frozen=True)
class FstabLine:
    """One line of /etc/fstab and its number."""

    path: str
    source: str
    line: int


@dataclass(frozen=True)
class Device:
    """The block device a source leads to now: its path and its number as ``major:minor``."""

    path: str
    dev: str


@dataclass(frozen=True)
class Point:
    """One mount point. ``kind``: dir, link, file, other, or empty. ``entries``: names in it, "lost+found" apart.

    ``link``: the part of the path that is a symbolic link. ``missing``: folders that are not there, innermost first.
    """

    kind: str = ""
    entries: int = 0
    link: str = ""
    missing: Tuple[str, ...] = ()
    unit: Optional[str] = None
    unit_link: Optional[str] = None
    enabled: bool = False
    mounted: Optional[Mounted] = None
    device: Optional[Device] = None
    bind_source: Optional[Mounted] = None


@dataclass(frozen=True)
class MountFacts:
    """Points by path, the lines of /etc/fstab, originals from the ledger."""

    points: Mapping[str, Point] = field(default_factory=dict)
    fstab: Tuple[FstabLine, ...] = ()
    owned: Mapping[str, Any] = field(default_factory=dict)


def parse_mountinfo(text: str, paths: Optional[Iterable[str]] = None) -> Tuple[Mounted, ...]:
    """Return the mounts in order (a later one at the same path covers an earlier one), of ``paths`` only if given."""
    wanted = None if paths is None else set(paths)
    rows = []
    for line in text.splitlines():
        words = line.split(" ")
        if len(words) < 10 or "-" not in words[6:]:
            continue
        path = unescape(words[4])
        if wanted is not None and path not in wanted:
            continue  # a node with many pods has thousands of mounts: only the asked ones are read further
        mark = words.index("-", 6)
        fstype, source, options = [*words[mark + 1 :], "", "", ""][:3]
        rows.append(
            Mounted(
                path,
                unescape(words[3]),
                words[2],
                fstype,
                unescape(source),
                tuple(words[5].split(",")),
                tuple(unescape(part) for part in options.split(",")),
            )
        )
    return tuple(rows)


def unescape(text: str) -> str:
    r"""Return a field without its octal escapes.

    >>> unescape(r"/mnt/with\040blank")
    '/mnt/with blank'
    """
    if "\\" not in text:
        return text
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), text)


def parse_fstab(text: str) -> Tuple[FstabLine, ...]:
    """Return the lines that mount something; swap and comments are none."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split()
        if len(words) >= 2 and not words[0].startswith("#") and words[1].startswith("/"):
            path = unescape(words[1])
            rows.append(FstabLine(path.rstrip("/") or "/", unescape(words[0]), number))
    return tuple(rows)


def covering(mounts: Iterable[Mounted], path: str) -> Optional[Mounted]:
    """Return the mount a path lies in: the longest mount point above it, the last one of equals."""
    best: Optional[Mounted] = None
    for mount in mounts:
        inside = mount.path == "/" or path == mount.path or path.startswith(mount.path + "/")
        if inside and (best is None or len(mount.path) >= len(best.path)):
            best = mount
    return best

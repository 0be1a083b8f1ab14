"""What files and the service manager say about resource limits.

Input: limits.conf(5), systemd's ini files, and ``systemctl show``, whose lines look like this::

    *    soft  memlock  unlimited
    DefaultLimitMEMLOCK=infinity
    DefaultLimitNOFILE=524288

It deliberately does not merge them: PAM serves logins, the manager serves units, neither looks at the other's files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple


@dataclass(frozen=True)
class LimitLine:
    """One line of a limits file. ``domain``: ``*``, root, a user or ``@group``; ``kind``: soft, hard or ``-``."""

    domain: str
    kind: str
    item: str
    value: str
    file: str
    line: int


@dataclass(frozen=True)
class ManagerLine:
    """One ``Key=value`` line of an ini file of systemd, with the unit it belongs to (empty: the manager's own)."""

    key: str
    value: str
    file: str
    line: int
    unit: str = ""


@dataclass(frozen=True)
class LimitFacts:
    """All lines in reading order, what the manager has in force (None: no systemd runs), and our own state.

    ``bounds``: item → what the init process itself cannot exceed, only where the kernel holds it to that.
    ``strict_pam``: a session fails where a limit cannot be set.
    """

    lines: Tuple[LimitLine, ...] = ()
    manager_lines: Tuple[ManagerLine, ...] = ()
    unit_lines: Tuple[ManagerLine, ...] = ()
    manager: Optional[Mapping[str, str]] = None
    nr_open: int = 0
    bounds: Mapping[str, str] = field(default_factory=dict)
    strict_pam: bool = False
    limits_file: Optional[str] = None
    manager_file: Optional[str] = None
    owned: Mapping[str, Any] = field(default_factory=dict)


def parse_limits(text: str, file: str) -> Tuple[LimitLine, ...]:
    """Return the lines of one limits file; a comment may follow a line here."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split()
        if len(words) == 4:
            rows.append(LimitLine(words[0], words[1], words[2].lower(), words[3], file, number))
    return tuple(rows)


def parse_manager(text: str, file: str, prefix: str, unit: str = "") -> Tuple[ManagerLine, ...]:
    """Return the lines of an ini file whose key starts with ``prefix``."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        key, equals, value = raw.strip().partition("=")
        if equals and key.strip().startswith(prefix):
            rows.append(ManagerLine(key.strip(), value.strip(), file, number, unit))
    return tuple(rows)


def parse_show(text: str) -> Dict[str, str]:
    """Return ``systemctl show`` output as a mapping."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


BOUND_NAMES = {
    "Max locked memory": "memlock",
    "Max open files": "nofile",
    "Max processes": "nproc",
    "Max stack size": "stack",
    "Max core file size": "core",
}
CAP_SYS_RESOURCE = 24  # the bit in capabilities(7) that lets a process raise its hard limits


def parse_bounds(limits: str, status: str, uid_map: str) -> Dict[str, str]:
    """Return item → hard limit of a process that may not raise it; empty for one that may.

    ``limits``, ``status`` and ``uid_map`` are files of /proc/PID. In a user namespace the capability does not count.
    """
    words = next((line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")), "")
    own_users = uid_map.split() not in ([], ["0", "0", "4294967295"])
    if not words or (int(words, 16) >> CAP_SYS_RESOURCE & 1 and not own_users):
        return {}
    found = {}
    for line in limits.splitlines():
        item = next((item for name, item in BOUND_NAMES.items() if line.startswith(name)), None)
        if item:
            hard = line[len("Max core file size") :].split()[1]
            found[item] = "infinity" if hard == "unlimited" else hard
    return found


def by_name(files: Iterable[str]) -> Tuple[str, ...]:
    """Return drop-in files in the order systemd reads them: by base name; one in /etc hides the same name below /usr.

    >>> by_name(["/usr/lib/systemd/system.conf.d/10-a.conf", "/etc/systemd/system.conf.d/05-b.conf"])
    ('/etc/systemd/system.conf.d/05-b.conf', '/usr/lib/systemd/system.conf.d/10-a.conf')
    """
    chosen: Dict[str, str] = {}
    for path in sorted(files, key=lambda p: (not p.startswith("/etc/"), not p.startswith("/run/"), p)):
        chosen.setdefault(path.rsplit("/", 1)[1], path)
    return tuple(chosen[name] for name in sorted(chosen))

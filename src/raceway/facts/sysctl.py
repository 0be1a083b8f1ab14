"""What the kernel and the configuration files say about kernel settings.

Input of the file parser is sysctl.d(5): ``key = value`` lines, comments by ``#`` or ``;`` at the start of a line only::

    # comment
    net.ipv4.tcp_congestion_control = bbr
    -net/ipv4/conf/eth0.100/rp_filter = 0

It deliberately does not decide which file wins for whom: it lists sources in boot order, the planner compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, Mapping, Optional, Tuple

from ..model.sysctl import fold, path_of


@dataclass(frozen=True)
class Assignment:
    """One line that sets a key: path below /proc/sys, folded value, file and line number."""

    path: str
    value: str
    file: str
    line: int


@dataclass(frozen=True)
class Live:
    """What /proc/sys shows for one key. ``value`` None: absent. ``readable`` False: a write-only trigger."""

    value: Optional[str]
    writable: bool = True
    readable: bool = True


@dataclass(frozen=True)
class SysctlFacts:
    """Live values by path, every assignment in the order the boot applies them, our own file, originals we keep."""

    live: Mapping[str, Live] = field(default_factory=dict)
    assignments: Tuple[Assignment, ...] = ()
    own_file: Optional[str] = None
    owned: Mapping[str, str] = field(default_factory=dict)
    congestion_controls: Tuple[str, ...] = ()
    tuned: Tuple[Assignment, ...] = ()


def parse_conf(text: str, file: str) -> Tuple[Assignment, ...]:
    """Return the assignments of one file in order; glob keys (``net.ipv4.conf.*.rp_filter``) keep their star."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;" or "=" not in line:
            continue
        key, value = line.split("=", 1)
        rows.append(Assignment(path_of(key.strip()), fold(value), file, number))
    return tuple(rows)


def boot_order(files: Iterable[str]) -> Tuple[str, ...]:
    """Return configuration files as systemd-sysctl reads them: by name, one per name, /etc over /run over /usr.

    sysctl.d(5). ``files`` are paths below the four folders; /etc/sysctl.conf is not among them (only its link is).
    """
    rank = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d")
    chosen: Dict[str, str] = {}
    for path in sorted(files, key=lambda p: rank.index(p.rsplit("/", 1)[0])):
        chosen.setdefault(path.rsplit("/", 1)[1], path)
    return tuple(chosen[name] for name in sorted(chosen))


def parse_tuned(text: str, file: str) -> Tuple[Assignment, ...]:
    """Return the ``[sysctl]`` section of a TuneD profile as assignments (values lose the ``>`` of "at least")."""
    rows, inside = [], False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("["):
            inside = line == "[sysctl]"
        elif inside and "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            rows.append(Assignment(path_of(key.strip()), fold(value.lstrip(" >")), file, number))
    return tuple(rows)


def tuned_includes(text: str) -> Tuple[str, ...]:
    """Return the parent profiles that a TuneD profile names in ``include=``, in order."""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("include") and "=" in line:
            return tuple(name.strip() for name in line.split("=", 1)[1].split(",") if name.strip())
    return ()


def sysctl_loses(main: str) -> bool:
    """Tell whether tuned-main.conf lets the active profile win over sysctl files (``reapply_sysctl``, on by default).

    >>> sysctl_loses("reapply_sysctl = False  "), sysctl_loses("#reapply_sysctl = 0")
    (True, False)
    """
    value = ""
    for raw in main.splitlines():
        key, equals, text = raw.partition("=")
        if equals and key.strip() == "reapply_sysctl":
            value = text.strip()
    # The words that TuneD's own get_bool takes for "no".
    return value.upper() in ("0", "N", "NO", "F", "FALSE")

"""Compares declared mount options with those the kernel shows, each in the kernel's own units.

``size=64m`` shows as ``size=65536k``, ``mode=0755`` as ``mode=755``, ``suid`` as the absence of ``nosuid``. What the
kernel does not show at all cannot be compared, and is told. It deliberately compares nothing by its text alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

# Options that the kernel shows as themselves, each with the word that takes it back.
FLAGS: Dict[str, str] = {
    "ro": "rw",
    "nosuid": "suid",
    "nodev": "dev",
    "noexec": "exec",
    "sync": "async",
    "dirsync": "",
    "nodiratime": "diratime",
    "lazytime": "nolazytime",
    "noatime": "relatime",
}
BACK = {**{word: flag for flag, word in FLAGS.items() if word != "relatime"}, "atime": "noatime"}
# Flags whose presence is a difference where they are not declared: somebody remounted.
UNASKED = ("ro", "nosuid", "nodev", "noexec", "noatime", "sync", "lazytime")
# Options for mount(8) and systemd; the kernel never sees them.
IMPLYING = frozenset({"user", "users", "owner", "group"})  # each of them implies nosuid, nodev and mostly noexec
USERSPACE = IMPLYING | {"defaults", "auto", "nofail", "_netdev", "nouser", "bind", "rbind"}
ATIME = ("relatime", "strictatime")  # shown as the presence or absence of other words
# What tmpfs does not show because it is the default.
TMPFS_DEFAULTS = {"mode": "1777", "uid": "0", "gid": "0"}
TMPFS_SHOWN = ("size", "nr_inodes", "mode", "uid", "gid")
_PAGE = 4096
_SIZE = re.compile(r"(\d+)([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(frozen=True)
class Comparison:
    """``differences``: (declared, found) pairs. ``unseen``: options that cannot be compared."""

    differences: Tuple[Tuple[str, str], ...] = ()
    unseen: Tuple[str, ...] = ()


def compare(fstype: str, declared: Sequence[str], live: Sequence[str]) -> Comparison:
    """Return where the live options differ from the declared ones."""
    differences: List[Tuple[str, str]] = []
    unseen: List[str] = []
    for option in declared:
        found = _differs(fstype, option, live)
        if found is None:
            unseen.append(option)
        elif found:
            differences.append((option, found))
    # A bind takes over the flags of the mount it shows, so on it they are nobody's doing.
    if not IMPLYING & set(declared) and not is_bind(fstype, declared):
        told = {wanted for wanted, _ in differences}
        differences += [(FLAGS[flag], flag) for flag in _unasked(declared, live) if FLAGS[flag] not in told]
    return Comparison(tuple(differences), tuple(unseen))


def _unasked(declared: Sequence[str], live: Sequence[str]) -> List[str]:
    named = set(declared)
    if named & {*ATIME, "atime"}:  # they take noatime back by themselves
        named.add("noatime")
    return [flag for flag in UNASKED if flag in live and flag not in named and FLAGS[flag] not in named]


def is_bind(fstype: str, declared: Sequence[str]) -> bool:
    """Tell whether the mount shows a folder at a second place."""
    return fstype in ("none", "bind") or "bind" in declared or "rbind" in declared


def _differs(fstype: str, option: str, live: Sequence[str]) -> Optional[str]:
    """Return what stands in an option's place, the empty string where it holds, None where nothing tells."""
    name, _, value = option.partition("=")
    if option in FLAGS:
        return "" if option in live else FLAGS[option] or f"no {option}"
    if option in BACK:
        return BACK[option] if BACK[option] in live else ""
    if option in USERSPACE:
        return ""
    if option in ATIME:
        return _atime(option, live)
    if value:
        return _value_differs(fstype, name, value, live)
    if option in live:
        return ""
    opposite = option[2:] if option.startswith("no") else f"no{option}"
    return opposite if opposite in live else None


def _atime(option: str, live: Sequence[str]) -> str:
    if option == "relatime" and "relatime" not in live:
        return "noatime" if "noatime" in live else "strictatime"
    if option == "strictatime":
        return next((word for word in ("noatime", "relatime") if word in live), "")
    return ""


def _value_differs(fstype: str, name: str, value: str, live: Sequence[str]) -> Optional[str]:
    if name.startswith("x-") or value.endswith("%"):
        return None
    shown = next((row.partition("=")[2] for row in live if row.startswith(name + "=")), None)
    if shown is None and fstype == "tmpfs" and name in TMPFS_SHOWN:
        shown = TMPFS_DEFAULTS.get(name, "")
    if shown is None:
        return None
    return "" if normal(name, value) == normal(name, shown) else f"{name}={shown or 'the default'}"


def normal(name: str, value: str) -> str:
    """Return a value in one form, whatever unit it was written in.

    >>> normal("size", "64m") == normal("size", "65536k"), normal("mode", "0755"), normal("data", "ordered")
    (True, '755', 'ordered')
    """
    if name in ("mode", "dmask", "fmask", "umask") and value.isdigit():
        return value.lstrip("0") or "0"
    match = _SIZE.fullmatch(value)
    if not match:
        return value
    number = int(match.group(1)) * _UNITS[match.group(2).lower()]
    if name == "size":
        number = -(-number // _PAGE) * _PAGE  # the kernel counts whole pages
    return str(number)


def for_remount(declared: Sequence[str], live: Sequence[str]) -> str:
    """Return the options of a remount: the kernel's part of the declared ones, and a word against each unasked flag."""
    rows = [option for option in declared if option not in ("defaults", "auto", "nofail", "_netdev", "rbind")]
    rows = ["relatime" if option == "atime" else option for option in rows if not option.startswith("x-")]
    rows += [FLAGS[flag] for flag in _unasked(declared, live)]
    if "relatime" in rows:
        # Both words are needed to take noatime back: "atime" makes mount(8) drop its own memory of noatime, and only a
        # named atime mode makes the kernel leave the one in force (util-linux 2.38, Linux 6.18).
        rows.insert(rows.index("relatime"), "atime")
    return ",".join(["remount", *dict.fromkeys(rows)])

"""Kernel arguments as declared, and how the kernel itself cuts a command line into arguments.

It deliberately allows only plain characters in a declared argument: what a shell, GRUB or grubby would take apart
differently cannot be written safely through all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

GRUB_FILE = "/etc/default/grub.d/90-raceway.cfg"
PLAIN = re.compile(r"[A-Za-z0-9_.,:=@/+%-]+")
# Arguments that mean something each time they stand there; for all others the last one counts.
REPEATED = frozenset(
    {
        "console",
        "dyndbg",
        "earlycon",
        "earlyprintk",
        "hugepages",
        "hugepagesz",
        "ima_policy",
        "memmap",
        "pci",
        "rd.luks.uuid",
        "rd.lvm.lv",
        "rd.md.uuid",
        "systemd.mask",
        "systemd.setenv",
        "systemd.wants",
    }
)


@dataclass(frozen=True)
class Argument:
    """One declared argument (``key`` or ``key=value``) with its askers and reason."""

    text: str
    asked_by: Tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class CmdlineDesired:
    """What the ``cmdline`` noun is given."""

    arguments: Tuple[Argument, ...] = ()
    platform: str = "bare_metal"
    file: str = GRUB_FILE


def parse(spec: Mapping[str, Any]) -> CmdlineDesired:
    """Read the JSON form: ``{"arguments": [{"argument", "asked_by", "why"}], "platform"}``."""
    arguments = tuple(
        Argument(row["argument"].strip(), tuple(row.get("asked_by", ())), row.get("why", ""))
        for row in spec.get("arguments", ())
    )
    default = CmdlineDesired()
    return CmdlineDesired(arguments, spec.get("platform", default.platform), spec.get("file", default.file))


def tokens(cmdline: str) -> Tuple[str, ...]:
    """Return the kernel's arguments: cut at blanks outside of double quotes, quotes dropped, nothing after ``--``.

    >>> tokens('quiet amd_iommu=pt dyndbg="file a.c +p" -- --init-option')
    ('quiet', 'amd_iommu=pt', 'dyndbg=file a.c +p')
    """
    found: List[str] = []
    word, quoted, started = "", False, False
    for mark in cmdline + " ":
        if mark == '"':
            quoted, started = not quoted, True
        elif mark.isspace() and not quoted:
            if word == "--":
                break
            if started:
                found.append(word)
            word, started = "", False
        else:
            word, started = word + mark, True
    return tuple(found)


def key_of(argument: str) -> str:
    """Return the name of an argument as the kernel compares it: a dash is an underscore there.

    >>> key_of("transparent-hugepage=never")
    'transparent_hugepage'
    """
    return argument.split("=", 1)[0].replace("-", "_")


def value_of(argument: str) -> Optional[str]:
    """Return the value, or None for a bare key."""
    return argument.split("=", 1)[1] if "=" in argument else None


def same(one: str, other: str) -> bool:
    """Tell whether two arguments say the same."""
    return key_of(one) == key_of(other) and value_of(one) == value_of(other)


def in_force(argument: str, found: Tuple[str, ...]) -> bool:
    """Tell whether a command line puts an argument into force: the last one of its key counts, unless keys may repeat.

    >>> in_force("iommu=pt", ("amd_iommu=pt",)), in_force("iommu=pt", ("iommu=pt", "iommu=off"))
    (False, False)
    """
    rows = [token for token in found if key_of(token) == key_of(argument)]
    if key_of(argument) in REPEATED:
        return any(same(argument, row) for row in rows)
    return bool(rows) and same(argument, rows[-1])

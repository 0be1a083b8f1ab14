"""What the running kernel was given and what the boot loader will give to the next one.

Input: /proc/cmdline, GRUB's shell variables, generated ``linux`` lines, and boot loader entries (BLS)::

    BOOT_IMAGE=/boot/vmlinuz-6.1.0-38-amd64 root=UUID=0a1b ro quiet
    GRUB_CMDLINE_LINUX_DEFAULT="quiet splash"
    options root=/dev/mapper/rhel-root ro crashkernel=1G-4G:192M rd.lvm.lv=rhel/root
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from ..model.cmdline import tokens

GRUB = "grub"  # drop-in of /etc/default/grub.d and update-grub
GRUBBY = "grubby"  # loader entries, edited by grubby
ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)(\+?=)(.*)$")


@dataclass(frozen=True)
class GrubLine:
    """One assignment in GRUB's settings: variable, arguments, whether it keeps what was there, file and line."""

    variable: str
    arguments: Tuple[str, ...]
    keeps: bool
    file: str
    line: int


@dataclass(frozen=True)
class Entry:
    """What one boot menu entry gives to its kernel, and the file that says so."""

    file: str
    arguments: Tuple[str, ...]


@dataclass(frozen=True)
class CmdlineFacts:
    """The running kernel's arguments, the boot loader and its entries, GRUB's settings, our file, what we added."""

    running: Tuple[str, ...] = ()
    loader: str = ""
    entries: Tuple[Entry, ...] = ()
    settings: Tuple[GrubLine, ...] = ()
    own_file: Optional[str] = None
    owned: Mapping[str, Any] = field(default_factory=dict)


def parse_grub(text: str, file: str) -> Tuple[GrubLine, ...]:
    """Return the assignments of GRUB's two command line variables in one shell file."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        match = ASSIGNMENT.match(raw)
        if not match:
            continue
        variable, operator, rest = match.groups()
        try:
            value = " ".join(shlex.split(rest, comments=True)[:1])
        except ValueError:  # a quote that ends on another line: take what is there
            value = rest.strip().strip("\"'")
        own = (f"${variable}", f"${{{variable}}}")
        words = tokens(value)
        keeps = operator == "+=" or any(word in own for word in words)
        rows.append(GrubLine(variable, tuple(w for w in words if not w.startswith("$")), keeps, file, number))
    return tuple(rows)


def parse_grub_cfg(text: str, file: str) -> Tuple[Entry, ...]:
    """Return the generated entries that start a Linux kernel (``linux /vmlinuz…``), memory tests left out.

    Sections that update-grub copies from elsewhere (other systems, hand-written entries) take no settings of ours.
    """
    rows, foreign = [], False
    for raw in text.splitlines():
        words = raw.split(None, 2)
        if raw.startswith("### BEGIN "):
            foreign = any(name in raw for name in ("os-prober", "custom"))
        elif raw.startswith("### END "):
            foreign = False
        elif len(words) == 3 and words[0] in ("linux", "linuxefi", "linux16") and "vmlinuz" in words[1] and not foreign:
            rows.append(Entry(file, tokens(words[2])))
    return tuple(rows)


def parse_entry(text: str, file: str) -> Tuple[Entry, ...]:
    """Return one boot loader entry (BLS); several ``options`` lines add up. The rescue entry counts like any other."""
    words = [raw.split(None, 1)[1] for raw in text.splitlines() if raw.startswith("options ")]
    return (Entry(file, tokens(" ".join(words))),) if "linux " in text else ()

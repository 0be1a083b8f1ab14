"""What a kernel has of its modules: loaded, built in, loadable, held back.

Input: ``modules.builtin`` and the left side of ``modules.dep`` are paths, modprobe.d(5) lines are commands::

    kernel/net/ipv4/tcp_cubic.ko
    kernel/net/ipv4/tcp_bbr.ko.xz: kernel/lib/foo.ko.xz
    blacklist nouveau

It deliberately does not judge: a blacklist line is a fact, whether it hurts is the planner's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, FrozenSet, Mapping, Optional, Tuple

from ..model.module import normal

LOADED = "loaded"  # a module that could be unloaded
BUILTIN = "builtin"  # part of the kernel image, listed in modules.builtin
INSIDE = "inside"  # part of the kernel image as the kernel itself shows; no list says so, modprobe cannot find it
AVAILABLE = "available"  # a file that modprobe can load
ABSENT = "absent"


@dataclass(frozen=True)
class ModuleState:
    """One module. ``parameters``: readable ones below /sys/module. ``users``: the reference count and holders."""

    state: str = ABSENT
    parameters: Mapping[str, str] = field(default_factory=dict)
    refcount: int = 0
    holders: Tuple[str, ...] = ()


@dataclass(frozen=True)
class ModprobeLine:
    """One line that keeps a module from being loaded: ``blacklist``, ``install`` or a kernel argument."""

    command: str
    module: str
    file: str
    line: int


@dataclass(frozen=True)
class OptionsLine:
    """One ``options`` line of modprobe.d, in the order modprobe reads them: for one parameter the last one counts."""

    module: str
    options: str
    file: str
    line: int


@dataclass(frozen=True)
class ModuleFacts:
    """States by name, what holds modules back, who gives them options, our files, what raceway loaded, the kernel."""

    states: Mapping[str, ModuleState] = field(default_factory=dict)
    held_back: Tuple[ModprobeLine, ...] = ()
    options: Tuple[OptionsLine, ...] = ()
    load_file: Optional[str] = None
    options_file: Optional[str] = None
    owned: Mapping[str, Any] = field(default_factory=dict)
    kernel: str = ""
    has_folder: bool = True
    distribution: str = ""


def names(text: str) -> FrozenSet[str]:
    """Return the module names of ``modules.builtin`` or ``modules.dep``.

    >>> sorted(names("kernel/net/sched/sch_fq.ko.zst:\\nkernel/drivers/nvme/host/nvme-core.ko: x.ko\\n"))
    ['nvme_core', 'sch_fq']
    """
    found = set()
    for line in text.splitlines():
        path = line.split(":", 1)[0].strip()
        base = path.rsplit("/", 1)[-1]
        if ".ko" in base:
            found.add(normal(base.split(".ko", 1)[0]))
    return frozenset(found)


def parse_modprobe(text: str, file: str) -> Tuple[ModprobeLine, ...]:
    """Return the lines that hold a module back: ``blacklist X``, ``install X`` with a command that loads nothing."""
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split()
        if len(words) >= 2 and words[0] == "blacklist":
            rows.append(ModprobeLine("blacklist", normal(words[1]), file, number))
        elif len(words) >= 3 and words[0] == "install" and words[2].rsplit("/", 1)[-1] in ("true", "false", ":"):
            rows.append(ModprobeLine("install", normal(words[1]), file, number))
    return tuple(rows)


def parse_options(text: str, file: str) -> Tuple[OptionsLine, ...]:
    """Return the ``options`` lines of one file.

    >>> parse_options("options dummy numdummies=0\n", "f")
    (OptionsLine(module='dummy', options='numdummies=0', file='f', line=1),)
    """
    rows = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split(None, 2)
        if len(words) == 3 and words[0] == "options":
            rows.append(OptionsLine(normal(words[1]), words[2].strip(), file, number))
    return tuple(rows)


def parse_cmdline_blacklist(cmdline: str) -> Tuple[ModprobeLine, ...]:
    """Return what ``modprobe.blacklist=`` and ``module_blacklist=`` of the kernel command line hold back."""
    rows = []
    for word in cmdline.split():
        key, _, value = word.partition("=")
        if key.replace("-", "_") in ("modprobe.blacklist", "module_blacklist"):
            command = "module_blacklist" if key.startswith("module") else "blacklist"
            rows += [ModprobeLine(command, normal(name), "/proc/cmdline", 1) for name in value.split(",") if name]
    return tuple(rows)


def distribution(os_release: str) -> str:
    """Return ``ID`` of /etc/os-release, or the empty string."""
    for line in os_release.splitlines():
        if line.startswith("ID="):
            return line[3:].strip().strip("\"'")
    return ""

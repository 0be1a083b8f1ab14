"""Reads the state of declared modules from /sys/module and, only where that gives no answer, from the lists on disk.

It deliberately does not run modinfo or lsmod: a built-in module is in neither, and each costs a process.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Tuple

from ..facts.module import (
    ABSENT,
    AVAILABLE,
    BUILTIN,
    INSIDE,
    LOADED,
    ModprobeLine,
    ModuleFacts,
    ModuleState,
    distribution,
    names,
    parse_cmdline_blacklist,
    parse_modprobe,
    parse_options,
)
from ..host import Host, Ledger
from ..model.module import ModuleDesired

SYS = "/sys/module/"
MODPROBE_FOLDERS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d")
LIB_FOLDERS = ("/lib/modules", "/usr/lib/modules")
CONGESTION = "/proc/sys/net/ipv4/tcp_available_congestion_control"
DEFAULT_QDISC = "/proc/sys/net/core/default_qdisc"


def probe(host: Host, desired: ModuleDesired, ledger: Ledger) -> ModuleFacts:
    """Return the facts the module planner compares with ``desired``; modules that raceway loaded are read too."""
    owned = ledger.owned("module")
    wanted = dict.fromkeys([module.name for module in desired.modules] + list(owned))
    kernel = (host.read("/proc/sys/kernel/osrelease") or "").strip()
    folder = lib_folder(host, kernel)
    texts = _modprobe_files(host) if wanted else ()
    return ModuleFacts(
        states=states(host, wanted, kernel),
        held_back=_held_back(host, texts) if wanted else (),
        options=tuple(row for path, text in texts for row in parse_options(text, path)),
        load_file=host.read(desired.load_file),
        options_file=host.read(desired.options_file),
        owned=owned,
        kernel=kernel,
        has_folder=folder is not None,
        distribution=distribution(host.read("/etc/os-release") or ""),
    )


def states(host: Host, wanted: Iterable[str], kernel: str) -> Mapping[str, ModuleState]:
    """Return the state of each module; the lists on disk are read once, and only if a module is not loaded."""
    found: Dict[str, ModuleState] = {}
    rest: List[str] = []
    for name in wanted:
        if host.exists(f"{SYS}{name}/initstate"):
            found[name] = _loaded(host, name)
        else:
            rest.append(name)
    if rest:
        folder = lib_folder(host, kernel)
        builtin = names(host.read(f"{folder}/modules.builtin") or "") if folder else frozenset()
        # modules.dep is half a megabyte on a distribution kernel: not for a node whose modules are all there.
        ask = folder is not None and not builtin.issuperset(rest)
        loadable = names(host.read(f"{folder}/modules.dep") or "") if ask else frozenset()
        for name in rest:
            found[name] = _not_loaded(host, name, builtin, loadable)
    return found


def lib_folder(host: Host, kernel: str) -> Optional[str]:
    """Return the folder of the running kernel's modules, or None where it is gone or never was."""
    return host.first(f"{folder}/{kernel}" for folder in LIB_FOLDERS) if kernel else None


def _loaded(host: Host, name: str) -> ModuleState:
    count = (host.read(f"{SYS}{name}/refcnt") or "").strip()
    holders = tuple(host.listdir(f"{SYS}{name}/holders"))
    # A kernel without unloading shows no refcnt: one user stands for "cannot be unloaded".
    return ModuleState(LOADED, _parameters(host, name), int(count) if count.lstrip("-").isdigit() else 1, holders)


def _not_loaded(host: Host, name: str, builtin: FrozenSet[str], loadable: FrozenSet[str]) -> ModuleState:
    if name in builtin:
        return ModuleState(BUILTIN, _parameters(host, name))
    if name in loadable:
        return ModuleState(AVAILABLE)
    if host.exists(SYS + name) or _works(host, name):
        return ModuleState(INSIDE, _parameters(host, name))
    return ModuleState(ABSENT)


def _works(host: Host, name: str) -> bool:
    """Tell whether the kernel already offers what the module is for: the only trace of some built-in ones."""
    if name.startswith("tcp_"):
        return name[len("tcp_") :] in (host.read(CONGESTION) or "").split()
    if name.startswith("sch_"):
        return name[len("sch_") :] == (host.read(DEFAULT_QDISC) or "").strip()
    return False


def _parameters(host: Host, name: str) -> Mapping[str, str]:
    folder = f"{SYS}{name}/parameters"
    rows = {parameter: host.read(f"{folder}/{parameter}") for parameter in host.listdir(folder)}
    return {parameter: value.strip() for parameter, value in rows.items() if value is not None}


def _modprobe_files(host: Host) -> Tuple[Tuple[str, str], ...]:
    """Return (path, text) as modprobe reads them: by name; as with sysctl.d, one in /etc hides its name below /usr."""
    chosen: Dict[str, str] = {}
    for folder in MODPROBE_FOLDERS:
        for file in host.listdir(folder):
            if file.endswith(".conf"):
                chosen.setdefault(file, f"{folder}/{file}")
    return tuple((chosen[file], host.read(chosen[file]) or "") for file in sorted(chosen))


def _held_back(host: Host, texts: Tuple[Tuple[str, str], ...]) -> Tuple[ModprobeLine, ...]:
    rows = [row for path, text in texts for row in parse_modprobe(text, path)]
    rows.extend(parse_cmdline_blacklist(host.read("/proc/cmdline") or ""))
    return tuple(rows)

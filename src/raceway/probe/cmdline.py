"""Reads the running command line, finds the boot loader, and reads what it will pass on.

It deliberately reads files only: entries and settings say the same as grubby and cost no process.
"""

from __future__ import annotations

from typing import List, Tuple

from ..facts.cmdline import GRUB, GRUBBY, CmdlineFacts, Entry, GrubLine, parse_entry, parse_grub, parse_grub_cfg
from ..host import Host, Ledger
from ..model.cmdline import CmdlineDesired, tokens

ENTRIES = "/boot/loader/entries"
GRUB_CFG = ("/boot/grub/grub.cfg", "/boot/grub2/grub.cfg")
DEFAULT_GRUB = "/etc/default/grub"
GRUB_FOLDER = "/etc/default/grub.d"


def probe(host: Host, desired: CmdlineDesired, ledger: Ledger) -> CmdlineFacts:
    """Return the facts the cmdline planner compares with ``desired``."""
    owned = ledger.owned("cmdline")
    if not desired.arguments and not owned:
        return CmdlineFacts(own_file=host.read(desired.file))
    which = loader(host)
    return CmdlineFacts(
        running=tokens(host.read("/proc/cmdline") or ""),
        loader=which,
        entries=entries(host, which),
        settings=_settings(host) if which == GRUB else (),
        own_file=host.read(desired.file),
        owned=owned,
    )


def loader(host: Host) -> str:
    """Return which boot loader can be given arguments here, or the empty string."""
    if host.listdir(ENTRIES) and host.which("grubby"):
        return GRUBBY
    return GRUB if host.exists(DEFAULT_GRUB) and host.which("update-grub") else ""


def entries(host: Host, which: str) -> Tuple[Entry, ...]:
    """Return what each boot menu entry passes to its kernel."""
    if which == GRUBBY:
        files = [f"{ENTRIES}/{name}" for name in host.listdir(ENTRIES) if name.endswith(".conf")]
        return tuple(entry for path in files for entry in parse_entry(host.read(path) or "", path))
    path = host.first(GRUB_CFG) if which else None
    return parse_grub_cfg(host.read(path) or "", path) if path else ()


def _settings(host: Host) -> Tuple[GrubLine, ...]:
    files = [DEFAULT_GRUB, *(f"{GRUB_FOLDER}/{n}" for n in host.listdir(GRUB_FOLDER) if n.endswith(".cfg"))]
    rows: List[GrubLine] = []
    for path in files:
        rows.extend(parse_grub(host.read(path) or "", path))
    return tuple(rows)

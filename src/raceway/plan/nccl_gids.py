"""Which GID a RoCE connection uses: the library's own choice, within what the declaration says of addresses.

An index is not the same on every device, moves after a link flap or a new address, and is another one in a container
(NVIDIA/nccl#2183, #890). So none is set where the library can choose; one that is declared is checked on each device.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from ..facts.gid import ROCE_V2, Gid
from ..facts.nccl import RdmaPort
from ..model.nccl import NOT_GIVEN, SINCE_DYNAMIC_GID, Declaration
from ..model.plan import Noop, Refusal
from .nccl_rails import Chosen, Told


def index_for(declaration: Declaration, chosen: Sequence[Chosen]) -> Tuple[int, str, List[Told]]:
    """Return the index to set (NOT_GIVEN: none), why, and what is to be told."""
    wanted = {one: declaration.gid_of(one.rail) for one in chosen}
    if len(set(wanted.values())) > 1:
        each = ", ".join(f"{one.port.label} {_shown(index)}" for one, index in wanted.items())
        act = "declare the same index for all, or none: the library has one setting for all devices"
        return NOT_GIVEN, "", [Refusal("gid_index", f"differs between devices: {each}", act)]
    index = next(iter(wanted.values()), declaration.gid_index)
    if index != NOT_GIVEN:
        return (
            index,
            "declared, and checked on each device",
            [told for one in chosen for told in _check(one.port, index)],
        )
    if declaration.since(SINCE_DYNAMIC_GID):
        return NOT_GIVEN, "", [told for one in chosen for told in _family(declaration, one.port)]
    return _found(declaration, chosen)


def _shown(index: int) -> str:
    return "none" if index == NOT_GIVEN else str(index)


def _check(port: RdmaPort, index: int) -> List[Told]:
    """Return what is wrong with a pinned entry of one device."""
    if port.gids is None:
        return [Noop(port.label, f"GID {index} is not checked: the device's GID table is not known here")]
    gid = next((gid for gid in port.gids if gid.index == index), None)
    if gid is None:
        found = "is empty"
    elif gid.kind != ROCE_V2:
        found = f"is RoCE {gid.kind}, not v2"
    elif gid.link_local:
        found = f"is {gid.address}, a link-local address that nobody routes"
    else:
        return []
    usable = ", ".join(str(row.index) for row in port.gids if row.routable) or "none"
    reason = f"GID {index} of {port.label} {found}; usable entries: {usable}"
    return [Refusal("gid_index", reason, "declare no index, or one that is right on every device")]


def _family(declaration: Declaration, port: RdmaPort) -> List[Told]:
    """Warn where the library will look for an address of a family that a device does not have (uccl#803)."""
    if port.gids is None or any(_fits(declaration, gid) for gid in port.gids):
        return []
    other = "ipv6" if declaration.address_family == "ipv4" else "ipv4"
    there = any(gid.routable for gid in port.gids)
    hint = f"those there are {other}: set nccl_address_family" if there else "give its interface an address"
    return [Noop(port.label, f"warning: it has no routed RoCE v2 address of {declaration.address_family}; {hint}")]


def _fits(declaration: Declaration, gid: Gid) -> bool:
    return gid.routable and bool(gid.ipv4) == (declaration.address_family == "ipv4")


def _found(declaration: Declaration, chosen: Sequence[Chosen]) -> Tuple[int, str, List[Told]]:
    """Choose for a library that cannot: the one entry that is right on every device, else say what stands where."""
    each = [(one.port.label, _best(declaration, one.port)) for one in chosen]
    indexes = {index for _, index in each}
    if len(indexes) == 1 and None not in indexes:
        why = f"{declaration.version} cannot choose; this entry is the routed RoCE v2 address of every device"
        return next(index for index in indexes if index is not None), why, []
    if not each:
        return NOT_GIVEN, "", []
    told = ", ".join(f"{label} {'none' if index is None else index}" for label, index in each)
    reason = f"{declaration.version} cannot choose a GID, and no one index is right on all devices ({told})"
    return (
        NOT_GIVEN,
        "",
        [Refusal("gid_index", reason, "use NCCL 2.21 or newer, or give the ports their addresses alike")],
    )


def _best(declaration: Declaration, port: RdmaPort) -> Optional[int]:
    usable = [gid for gid in port.gids or () if gid.routable]
    usable.sort(key=lambda gid: (not _fits(declaration, gid), gid.index))
    return usable[0].index if usable else None

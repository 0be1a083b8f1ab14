"""Which ports a declaration means: rails in their order, else every port of the node in natural order.

A rail is found by PCI address, GUID or name, and one that is not there is refused: a shorter list would work, on fewer
links, and nobody would see why. It deliberately looks at no port's state: the list must not change with a cable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple, Union

from ..facts.nccl import ACTIVE, ETHERNET, INFINIBAND, RdmaPort
from ..model.nccl import MOST_DEVICES, Declaration, Rail
from ..model.plan import Noop, Refusal

Told = Union[Refusal, Noop]


@dataclass(frozen=True)
class Chosen:
    """One port in its place in the list, with the rail that asked for it (None: nobody declared rails)."""

    port: RdmaPort
    rail: Optional[Rail] = None


def choose(declaration: Declaration, ports: Sequence[RdmaPort]) -> Tuple[Tuple[Chosen, ...], List[Told]]:
    """Return the ports in the order of the list, and what is to be told about them."""
    chosen, told = _rails(declaration, ports) if declaration.rails else _all(ports)
    told += _lists(chosen)
    told += [_down(one) for one in chosen if one.port.state != ACTIVE]
    return tuple(chosen), told


def _rails(declaration: Declaration, ports: Sequence[RdmaPort]) -> Tuple[List[Chosen], List[Told]]:
    chosen: List[Chosen] = []
    told: List[Told] = []
    seen: Dict[str, str] = {}
    for rail in sorted(declaration.rails, key=lambda one: (one.rail, one.plane)):
        port = next((port for port in ports if _is(rail, port)), None)
        if port is None:
            told.append(_missing(rail, ports))
        elif port.label in seen:
            act = "give each rail a port of its own"
            told.append(Refusal(rail.label, f"{port.label} is {seen[port.label]} already", act))
        else:
            seen[port.label] = rail.label
            chosen.append(Chosen(port, rail))
    labels = [rail.label for rail in declaration.rails]
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        act = "number the rails, and the planes of a rail, each once"
        told.append(Refusal(label, f"declared {labels.count(label)} times", act))
    return chosen, told


def _is(rail: Rail, port: RdmaPort) -> bool:
    found = {"pci": port.pci, "guid": port.guid, "device": port.device}.get(rail.by, "")
    return bool(found) and found == rail.value and port.port == rail.port


def _missing(rail: Rail, ports: Sequence[RdmaPort]) -> Refusal:
    if not rail.by:
        return Refusal(rail.label, "nothing selects its device", "give it one of pci, guid or device")
    wanted = {"pci": "PCI address", "guid": "node GUID", "device": "name"}[rail.by]
    there = ", ".join(_place(port, rail.by) for port in ports) or "none"
    act = "correct the rail, or mend the card, its driver or its cable-side port"
    merged = [port for port in ports if port.device.startswith("mlx5_bond_") and port.card == _card(rail)]
    if merged:
        act = f"declare {merged[0].pci}: both ports of this card are one device, {merged[0].device}, while bonded"
    reason = f"no RDMA device with the {wanted} {rail.value} and port {rail.port}; devices present: {there}"
    return Refusal(rail.label, reason, act)


def _card(rail: Rail) -> str:
    return rail.value.rpartition(".")[0] if rail.by == "pci" else ""


def _place(port: RdmaPort, by: str) -> str:
    if by == "guid":
        return f"{port.label} {port.guid or 'without a GUID'}"
    return f"{port.label} at {port.pci or 'no PCI address'}"


def _all(ports: Sequence[RdmaPort]) -> Tuple[List[Chosen], List[Told]]:
    if not ports:
        return [], [Noop("devices", "no RDMA device is here: the library uses sockets")]
    reason = "no rail is declared, so every RDMA port is used, those of storage and management too"
    return [Chosen(port) for port in ports], [Noop("devices", reason)]


def _lists(chosen: Sequence[Chosen]) -> List[Told]:
    """Return what is wrong with a list as a whole: its length, and two kinds of fabric in one."""
    rows: List[Told] = []
    devices = {one.port.device for one in chosen}
    if len(devices) > MOST_DEVICES:
        reason = f"{len(devices)} devices, NCCL takes {MOST_DEVICES}"
        rows.append(Refusal("devices", reason, "declare the rails of the training fabric alone"))
    layers = sorted({one.port.link_layer or "unknown" for one in chosen})
    if layers and not set(layers) <= {ETHERNET, INFINIBAND}:
        names = ", ".join(one.port.label for one in chosen if one.port.link_layer not in (ETHERNET, INFINIBAND))
        act = "see `rdma link` on the node: without it nobody knows whether a DSCP means anything there"
        rows.append(Refusal("devices", f"the link layer of {names} cannot be read", act))
    elif len(layers) > 1:
        of = [f"{', '.join(one.port.label for one in chosen if one.port.link_layer == x)} {x}" for x in layers]
        act = "declare the rails of one fabric alone, or set LINK_TYPE of the ports alike"
        rows.append(Refusal("devices", f"two kinds of fabric in one list: {'; '.join(of)}", act))
    return rows


def _down(one: Chosen) -> Noop:
    state = one.port.state
    hint = "no subnet manager answers" if state == "INIT" and one.port.link_layer != ETHERNET else "see its cable"
    target = one.rail.label if one.rail else one.port.label
    return Noop(target, f"{one.port.label} is {state}: the library leaves it out until it is ACTIVE ({hint})")

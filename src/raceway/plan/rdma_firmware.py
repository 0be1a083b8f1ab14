"""Firmware settings of cards: read, compared, written once a card, and the reset they wait for told or done.

A setting is in force only after the card's reset. What a reset or another link type would cut (the default route, an
ssh connection) is refused before anything of that card is written. BlueField modes are compared and never written: the
change wants a power cycle of the host, and a host whose DPU boots otherwise may not come back.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional

from ..facts.mlxconfig import Card, Setting
from ..facts.rdma import DeviceFacts, RdmaFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Reboot, Refusal, Step
from ..model.rdma import CARD, DPU_MODES, LINK_TYPES, Device, RdmaDesired
from .rdma_part import Outcome, Part, found, part

TOOL_PACKAGES = ("mstflint", "doca-ofed", "doca-all", "doca-networking", "doca-roce")
WHY = "the card keeps it over boots and has it in force after its next reset"


def firmware(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of all cards whose settings, link type or BlueField mode are declared."""
    rows: List[Outcome] = []
    for device, shown in found(desired, facts):
        if device.firmware or device.link_type or device.dpu_mode:
            refusal = _unreadable(device, shown, facts)
            rows += [refusal] if refusal else [*_dpu(device, shown), *_card(device, shown, desired, facts)]
    return part(rows, [key for device in desired.devices for key in _keys(device, facts)])


def _keys(device: Device, facts: RdmaFacts) -> List[str]:
    """Return what stays ours of a card; of one that is not there, everything: nobody can say which port it was."""
    prefix = f"firmware {device.label} "
    shown = facts.devices.get(device.label)
    if shown is None:
        return [key for key in facts.owned if key.startswith(prefix)]
    return [f"{prefix}{name}" for name in settings(device, shown)]


def settings(device: Device, shown: DeviceFacts) -> Dict[str, int]:
    """Return all declared settings of a device; its function tells which port of the card its link type means.

    >>> settings(Device("pci", "0000:3b:00.1", link_type="ethernet"), DeviceFacts("mlx5_1", pci="0000:3b:00.1"))
    {'LINK_TYPE_P2': 2}
    """
    rows = dict(device.firmware)
    if device.link_type:
        rows[f"LINK_TYPE_P{_function(shown) + 1}"] = LINK_TYPES[device.link_type][0]
    return rows


def _function(shown: DeviceFacts) -> int:
    digit = shown.pci.rpartition(".")[2]
    return int(digit) if digit in ("0", "1") else 0


def _unreadable(device: Device, shown: DeviceFacts, facts: RdmaFacts) -> Optional[Outcome]:
    if not shown.pci:
        return Refusal(device.label, f"{shown.name} is a software device: it has no firmware", "declare none for it")
    if shown.virtual_function:
        act = "declare the physical function: its card's settings are everybody's"
        return Refusal(device.label, f"{shown.name} is a virtual function", act)
    if shown.firmware is not None and not shown.firmware_problem:
        return None
    pending = [name for name in facts.missing_packages if name in TOOL_PACKAGES]
    if shown.firmware is None and pending:
        return Noop(device.label, f"its firmware is asked for its settings once {', '.join(pending)} is installed")
    act = "install mstflint, or look at `mlxconfig -d ADDRESS -e q` on the node"
    return Refusal(device.label, f"firmware of {shown.name}: {shown.firmware_problem or 'it says nothing'}", act)


def _dpu(device: Device, shown: DeviceFacts) -> List[Outcome]:
    if not device.dpu_mode:
        return []
    rows = [(name, number, _setting(shown.firmware, name)) for name, number in DPU_MODES[device.dpu_mode]]
    missing = [name for name, _, there in rows if there is None]
    if missing:
        reason = f"{shown.name} has no {', '.join(missing)}: it is no BlueField, mode {device.dpu_mode} is declared"
        return [Refusal(device.label, reason, "take dpu_mode out, or correct the address")]
    wrong = [f"{name} is {there.next}" for name, number, there in rows if there and there.number != number]
    if wrong:
        words = " ".join(f"{name}={number}" for name, number, _ in rows)
        act = f"mlxconfig -d {shown.pci} set {words}, then a power cycle of the host; or correct dpu_mode"
        return [Refusal(device.label, f"{shown.name} is declared in mode {device.dpu_mode}: {', '.join(wrong)}", act)]
    waiting = [name for name, _, there in rows if there and there.pending]
    if waiting:
        return [Reboot(device.label, f"{', '.join(waiting)} of {shown.name} wait for a power cycle of the host")]
    return [Noop(device.label, f"{shown.name} is in mode {device.dpu_mode}, as declared")]


def _card(device: Device, shown: DeviceFacts, desired: RdmaDesired, facts: RdmaFacts) -> List[Outcome]:
    wanted = settings(device, shown)
    fixed = _fixed_link(device, shown, wanted)
    if fixed:
        wanted = {name: number for name, number in wanted.items() if not name.startswith("LINK_TYPE_")}
    missing = [name for name in wanted if _setting(shown.firmware, name) is None]
    if missing:
        act = "take it out, or update the card's firmware"
        return [Refusal(device.label, f"the firmware of {shown.name} has no {', '.join(missing)}", act)]
    wrong = {name: number for name, number in wanted.items() if _number(shown.firmware, name) != number}
    waiting = _waiting(shown.firmware, wanted, wrong)
    relink = any(name.startswith("LINK_TYPE_") for name in wrong)
    refusal = _cuts(device, shown, facts, relink, bool(waiting) and desired.reset == CARD)
    if refusal:
        return [*fixed, refusal]
    if not wrong and not waiting:
        return [*fixed, *([Noop(device.label, f"{shown.name} has all settings in force")] if wanted else [])]
    rows: List[Outcome] = [*fixed, *([_write(device, shown, wrong, relink)] if wrong else [])]
    if waiting and desired.reset == CARD:
        rows.append(_reset(device, shown, waiting))
    elif waiting:
        rows.append(Reboot(device.label, f"firmware settings wait for a reset of the card: {', '.join(waiting)}"))
    return rows


def _fixed_link(device: Device, shown: DeviceFacts, wanted: Dict[str, int]) -> List[Outcome]:
    """Return the noop of a card that knows one link type, where that is the declared one."""
    names = [name for name in wanted if name.startswith("LINK_TYPE_") and _setting(shown.firmware, name) is None]
    layers = {port.link_layer for port in shown.ports}
    if device.link_type and names and layers == {LINK_TYPES[device.link_type][1]}:
        return [Noop(device.label, f"{shown.name} knows one link type, {layers.pop()}, which is the declared one")]
    return []


def _waiting(card: Optional[Card], wanted: Dict[str, int], wrong: Dict[str, int]) -> List[str]:
    """Return what only a reset brings into force, as ``NAME now → then``."""
    rows = []
    for name, number in wanted.items():
        there = _setting(card, name)
        if there and (name in wrong or there.pending):
            then = str(number) if name in wrong else there.next
            rows.append(f"{name} {there.current or 'as it runs'} → {then}")
    return rows


def _cuts(device: Device, shown: DeviceFacts, facts: RdmaFacts, relink: bool, reset: bool) -> Optional[Refusal]:
    """Return the refusal of a card whose reset, or next link type, cuts what must not break."""
    if not relink and not reset:
        return None
    deed = "a reset of the card" if reset else "the other link type"
    if facts.carriers_problem:
        reason = f"nobody can tell what {deed} would cut: {facts.carriers_problem}"
        return Refusal(device.label, reason, "mend iproute2 on the node, or set it by hand")
    carried = facts.carries(shown)
    if carried:
        act = "reach the node over another port, or leave rdma_reset at report and reboot"
        if relink:
            act = "move route and sessions to another port first"
        return Refusal(device.label, f"{deed} ({shown.name}) would cut what its ports carry: {'; '.join(carried)}", act)
    if reset and facts.users:
        reason = f"the driver of {shown.name} is in use by {', '.join(facts.users)}, so the card cannot be reset"
        return Refusal(device.label, reason, "unload them first, or leave rdma_reset at report and reboot")
    return None


def _write(device: Device, shown: DeviceFacts, wrong: Dict[str, int], relink: bool) -> Step:
    before = {name: _number(shown.firmware, name) for name in wrong}
    originals = {f"firmware {device.label} {name}": number for name, number in before.items()}
    args = {"originals": originals, "pci": shown.pci, "values": wrong}
    words = ", ".join(f"{name}={number}" for name, number in wrong.items())
    what = f"write {words} into the firmware of {shown.name} ({device.label})"
    risk = DISRUPTIVE if relink else SAFE
    undo = "write " + ", ".join(f"{name}={number}" for name, number in before.items())
    return Step("rdma_firmware", device.label, what, WHY, risk, undo, _told(before), _told(wrong), args)


def _reset(device: Device, shown: DeviceFacts, waiting: List[str]) -> Step:
    what = f"reset the card of {shown.name} ({device.label})"
    why = f"settings wait for it: {', '.join(waiting)}; every port of the card is gone for some seconds"
    args = {"pci": shown.pci, "label": device.label, "names": [row.split(" ", 1)[0] for row in waiting]}
    return Step("rdma_reset", device.label, what, why, DISRUPTIVE, "nothing to undo", args=args)


def _setting(card: Optional[Card], name: str) -> Optional[Setting]:
    return card.setting(name) if card else None


def _number(card: Optional[Card], name: str) -> Optional[int]:
    there = _setting(card, name)
    return there.number if there else None


def _told(values: Mapping[str, Optional[int]]) -> str:
    return ", ".join(f"{name}={number}" for name, number in values.items())

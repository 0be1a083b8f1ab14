"""Why a declared port cannot be made right: each refusal names the port, what was wanted, what was found, the next act.

It deliberately stops at the first reason of a port: the later ones would be guesses about a port that cannot be set.
"""

from __future__ import annotations

from typing import Optional

from ..facts.lldp import Neighbour
from ..facts.roce import PortFacts, RoceFacts
from ..model.plan import Refusal
from ..model.qos import Qos
from ..model.roce import CLASSES, Port, RoceDesired
from ..model.roce_buffer import HEADROOM, divide, headroom, least

# A frame is its payload, 14 bytes of addresses and type, 4 of check sequence (IEEE 802.3).
FRAME = 18


def refusal(port: Port, desired: RoceDesired, facts: RoceFacts) -> Optional[Refusal]:
    """Return the refusal of a whole port, None where it can be made as declared."""
    found = facts.ports.get(port.label)
    if found is None:
        there = ", ".join(facts.present) or "no interface with hardware"
        return Refusal(port.label, f"no such port; there are: {there}", "correct roce_ports, or look for the card")
    name = found.device
    if facts.lldpad:
        act = "systemctl disable --now lldpad (lldpd may stay: it only listens)"
        return Refusal(port.label, f"lldpad is running: it would overwrite the settings of {name}", act)
    if found.virtual_function:
        act = "declare the physical function instead; its functions inherit the settings"
        return Refusal(port.label, f"{name} is a virtual function: only the physical one can be set", act)
    if found.problem:
        act = "use a port whose driver offers DCB, or load the vendor's driver (its package brings mlnx_qos)"
        return Refusal(port.label, f"{name} (driver {found.driver or 'unknown'}): {found.problem}", act)
    if found.firmware_dcbx:
        act = "set LLDP_NB_DCBX and DCBX_WILLING to 0 with mlxconfig (fw-lldp-agent off on Intel) and reset the card"
        return Refusal(port.label, f"the firmware of {name} speaks DCBX itself and would overwrite the host", act)
    return _queues(port, desired.qos, found) or _buffer(port, desired, found) or _mtu(port, desired.qos, found)


def _queues(port: Port, qos: Qos, found: PortFacts) -> Optional[Refusal]:
    name = found.device
    if found.classes < CLASSES:
        data = " and ".join(str(number) for number in qos.paused)
        told = f"data (priority {data}), notifications (priority {qos.cnp_priority}), the rest"
        reason = f"{name} has {found.classes} traffic classes, wanted {CLASSES}: {told}"
        return Refusal(port.label, reason, "use a port with more queues, or raise them in its firmware settings")
    if found.pfc_classes < len(qos.paused):
        count = found.pfc_classes or "no"
        reason = f"{name} can pause {count} priorit{'y' if count in ('no', 1) else 'ies'} by PFC, "
        act = "use a port with PFC" if not found.pfc_classes else "shorten roce_lossless"
        return Refusal(port.label, f"{reason}wanted {len(qos.paused)} ({_listed(qos)})", act)
    return None


def _buffer(port: Port, desired: RoceDesired, found: PortFacts) -> Optional[Refusal]:
    qos, speed = desired.qos, (found.speed_mbps or port.speed_mbps) / 1000
    if found.buffer is not None and speed and least(qos, speed) > found.buffer:
        return Refusal(port.label, _too_small(found, qos, speed), _smaller(qos))
    if desired.buffer != HEADROOM:
        return _empty(port, qos, found)
    if found.buffer is None or not speed:
        unknown = "receive buffer" if found.buffer is None else "link speed"
        reason = f"the {unknown} of {found.device} is not known, wanted: headroom for {_listed(qos)}"
        return Refusal(port.label, reason, "set the link up, or set roce_buffer: auto and leave it to the driver")
    if divide(qos, speed, found.buffer) is None:
        packets = f"{_too_small(found, qos, speed)} and two packets of {qos.mtu} bytes a buffer"
        return Refusal(port.label, packets, f"set roce_buffer: auto, or {_smaller(qos)}")
    return None


def _empty(port: Port, qos: Qos, found: PortFacts) -> Optional[Refusal]:
    """Refuse a priority that is paused already and whose buffer holds nothing (sonic-net/SONiC#480)."""
    if not (found.pfc and found.priority_buffer and any(found.buffer_sizes or ())):
        return None  # not set yet, or a driver that does not tell
    for priority in qos.paused:
        number = found.priority_buffer[priority]
        if found.pfc[priority] and not (found.buffer_sizes or ())[number]:
            reason = f"{found.device} pauses priority {priority}, whose receive buffer {number} has 0 bytes"
            act = "set roce_buffer: headroom, or reload the driver so that it divides the buffer itself again"
            return Refusal(port.label, f"{reason}, wanted headroom", act)
    return None


def _too_small(found: PortFacts, qos: Qos, speed: float) -> str:
    many = len(qos.paused)
    what = "a lossless priority needs" if many == 1 else f"PFC on {many} priorities ({_listed(qos)}) needs"
    each = "" if many == 1 else f" ({headroom(qos, speed)} each)"
    return f"{found.device} has {found.buffer} bytes of receive buffer, {what} {least(qos, speed)}{each}"


def _smaller(qos: Qos) -> str:
    fewer = "shorten roce_lossless, " if qos.lossless else ""
    return f"{fewer}lower roce_cable_m ({qos.cable_m}) if the cable is shorter, or use a card with more buffer"


def _listed(qos: Qos) -> str:
    return " and ".join(f"priority {number}" for number in qos.paused)


def _mtu(port: Port, qos: Qos, found: PortFacts) -> Optional[Refusal]:
    name = found.device
    if found.max_mtu is not None and qos.mtu > found.max_mtu:
        return Refusal(port.label, f"{name} takes an MTU up to {found.max_mtu}, wanted {qos.mtu}", "lower roce_mtu")
    small = next((one for one in found.neighbours if not _fits(qos.mtu, one)), None)
    if small is None:
        return None
    who = f"{small.name or 'its neighbour'}{f' port {small.port}' if small.port else ''}"
    reason = f"{who} behind {name} takes frames up to {small.max_frame} bytes (LLDP), wanted {qos.mtu + FRAME}"
    act = (
        f"raise the MTU of that switch port, or lower roce_mtu ({qos.mtu}) to {(small.max_frame or 0) - FRAME} at most"
    )
    return Refusal(port.label, f"{reason} for an MTU of {qos.mtu}", act)


def _fits(mtu: int, neighbour: Neighbour) -> bool:
    """Tell whether a neighbour takes a full frame. Exactly the MTU is taken for one: some agents send their MTU."""
    return neighbour.max_frame is None or neighbour.max_frame >= mtu + FRAME or neighbour.max_frame == mtu

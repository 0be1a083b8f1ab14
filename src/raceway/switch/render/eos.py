"""Arista EOS: one QoS profile that every RoCE port uses, maps for the whole switch, one headroom for all ports.

Headroom of the Trident family is one setting of the switch, so it is the largest that any declared port needs.
It deliberately writes thresholds in bytes: how large a segment is depends on the chip.
"""

from __future__ import annotations

from raceway.switch.model import Switch

NAME = "RACEWAY-ROCE"


def render(switch: Switch) -> str:
    """Return the configuration as ``show running-config`` would indent it."""
    lines = [*_maps(switch), "!", *_profile(switch), "!", *_headroom(switch)]
    for port in switch.ports:
        lines += ["!", f"interface {port.name}", f"   mtu {switch.mtu}", f"   service-profile {NAME}"]
    return "\n".join(lines) + "\n"


def _maps(switch: Switch) -> list[str]:
    lines = [
        f"qos map dscp {' '.join(map(str, members))} to traffic-class {number}"
        for number, members in sorted(switch.classes.items())
    ]
    return [*lines, *(f"qos map traffic-class {number} to uc-tx-queue {number}" for number in sorted(switch.classes))]


def _profile(switch: Switch) -> list[str]:
    qos = switch.qos
    lines = [f"qos profile {NAME}", "   qos trust dscp", "   priority-flow-control on"]
    lines.append(f"   priority-flow-control priority {qos.priority} no-drop")
    if switch.watchdog_ms:
        time = f"{switch.watchdog_ms / 1000:g}"
        timer = f"timer timeout {time} polling-interval auto recovery-time {time}"
        lines.append("   priority-flow-control pause watchdog")
        lines += [f"   priority-flow-control pause watchdog port {word}" for word in ("action drop", timer)]
    for queue in sorted(switch.classes):
        lines += ["   !", f"   uc-tx-queue {queue}", *(f"      {line}" for line in _queue(switch, queue))]
    return lines


def _queue(switch: Switch, queue: int) -> list[str]:
    qos = switch.qos
    if queue == qos.cnp_priority:
        return ["priority strict"]
    if queue == switch.rest:
        return ["no priority", f"bandwidth percent {100 - qos.share}"]
    lines = ["no priority", f"bandwidth percent {qos.share}"]
    if qos.ecn:
        one = switch.wred["green"]
        limits = f"minimum-threshold {one.minimum} bytes maximum-threshold {one.maximum} bytes"
        lines.append(f"random-detect ecn {limits} max-mark-probability {one.probability} weight 0")
    return lines


def _headroom(switch: Switch) -> list[str]:
    profile = f"platform trident mmu queue profile {NAME}"
    return [profile, f"   ingress headroom bytes {headroom(switch)}", "!", f"{profile} apply"]


def headroom(switch: Switch) -> int:
    """Return the bytes every port gets: what the neediest of the declared ports must still take in."""
    return max(switch.row(port).xoff for port in switch.ports)

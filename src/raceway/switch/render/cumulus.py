"""Cumulus Linux as NVUE commands, profiles of our own beside the switch's defaults.

The switch computes buffers from the cable length, so there is one PFC profile for each length and no buffer size.
It deliberately does not use the one-word ``nv set qos roce``: what that implies has changed between releases.
"""

from __future__ import annotations

from raceway.model.qos import PRIORITIES
from raceway.switch.model import Port, Switch

NAME = "raceway-roce"
ONE = "default-global"  # the queue map has no profile a port could choose (NVUE reference)
POLL_MS = 100  # milliseconds, NVUE's own default


def render(switch: Switch) -> str:
    """Return the commands, one a line."""
    lines = [*_classes(switch), *_pfc(switch), *_queues(switch)]
    if switch.watchdog_ms:
        lines.append(f"qos pfc-watchdog polling-interval {POLL_MS}")
        lines.append(f"qos pfc-watchdog robustness {switch.watchdog_ms // POLL_MS}")
    for port in switch.ports:
        lines += _port(switch, port)
    return "".join(f"nv set {line}\n" for line in lines)


def _classes(switch: Switch) -> list[str]:
    lines = [f"qos mapping {NAME} trust l3"]
    for number, members in sorted(switch.classes.items()):
        lines.append(f"qos mapping {NAME} dscp {','.join(map(str, members))} switch-priority {number}")
    own = (switch.qos.priority, switch.qos.cnp_priority)
    for number in PRIORITIES:
        queue = number if number in own else switch.rest
        lines.append(f"qos egress-queue-mapping {ONE} switch-priority {number} traffic-class {queue}")
    return lines


def _pfc(switch: Switch) -> list[str]:
    lines: list[str] = []
    for metres in sorted({port.cable_m for port in switch.ports}):
        name = f"{NAME}-{metres}m"
        lines.append(f"qos pfc {name} switch-priority {switch.qos.priority}")
        lines += [f"qos pfc {name} {way} enable" for way in ("rx", "tx")]
        lines.append(f"qos pfc {name} cable-length {metres}")
    return lines


def _queues(switch: Switch) -> list[str]:
    qos = switch.qos
    marking = f"qos congestion-control {NAME} traffic-class {qos.priority}"
    lines = [f"{marking} ecn {'enable' if qos.ecn else 'disable'}", f"{marking} red disable"]
    if qos.ecn:
        one = switch.wred["green"]
        lines += [f"{marking} min-threshold {one.minimum}", f"{marking} max-threshold {one.maximum}"]
        lines.append(f"{marking} probability {one.probability}")
    scheduler = f"qos egress-scheduler {NAME} traffic-class"
    for queue, share in sorted({switch.rest: 100 - qos.share, qos.priority: qos.share}.items()):
        lines += [f"{scheduler} {queue} mode dwrr", f"{scheduler} {queue} bw-percent {share}"]
    return [*lines, f"{scheduler} {qos.cnp_priority} mode strict"]


def _port(switch: Switch, port: Port) -> list[str]:
    kinds = {"mapping": NAME, "pfc": f"{NAME}-{port.cable_m}m", "congestion-control": NAME, "egress-scheduler": NAME}
    lines = [f"link mtu {switch.mtu}", *(f"qos {kind} profile {name}" for kind, name in kinds.items())]
    if switch.watchdog_ms:
        lines.append("qos pfc-watchdog state enable")
    return [f"interface {port.name} {line}" for line in lines]

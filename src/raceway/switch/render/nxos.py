"""Cisco NX-OS (Nexus 9000, eight queues): classify by DSCP, one no-drop class, marking, a pause buffer by cable.

The buffer policy hangs on each port, because ports differ in speed and cable.
It deliberately configures no DCBX: with ``mode on`` PFC does not depend on what a neighbour advertises.
"""

from __future__ import annotations

from raceway.model.qos import PRIORITIES
from raceway.switch.model import Port, Switch

NAME = "RACEWAY"
INTERVAL_MS = 100  # milliseconds; the watchdog fires after a whole number of intervals


def render(switch: Switch) -> str:
    """Return the configuration as ``show running-config`` would indent it."""
    lines = [*_classify(switch), *_network(switch), *_egress(switch), *_buffers(switch)]
    lines += ["system qos", f"  service-policy type network-qos {NAME}-NETWORK"]
    lines.append(f"  service-policy type queuing output {NAME}-OUT")
    if switch.watchdog_ms:
        lines.append("priority-flow-control watch-dog-interval on")
        lines.append(f"priority-flow-control watch-dog interval {INTERVAL_MS}")
        lines.append(f"priority-flow-control watch-dog shutdown-multiplier {switch.watchdog_ms // INTERVAL_MS}")
    for port in switch.ports:
        lines += _port(switch, port)
    return "\n".join(lines) + "\n"


def _classify(switch: Switch) -> list[str]:
    qos = switch.qos
    own = (("ROCE", qos.dscp, qos.priority), ("CNP", qos.cnp_dscp, qos.cnp_priority))
    lines: list[str] = []
    for name, dscp, _ in own:
        lines += [f"class-map type qos match-any {NAME}-{name}", f"  match dscp {dscp}"]
    lines.append(f"policy-map type qos {NAME}-IN")
    for name, _, group in own:
        lines += [f"  class {NAME}-{name}", f"    set qos-group {group}"]
    return [*lines, "  class class-default", f"    set qos-group {switch.rest}"]


def _network(switch: Switch) -> list[str]:
    # In NX-OS the classes of the network policy carry the jumbo frames: one that is not named stays at 1500.
    lines = [f"policy-map type network-qos {NAME}-NETWORK"]
    for number in sorted(PRIORITIES, reverse=True):
        lines += [f"  class type network-qos c-8q-nq{number or '-default'}", f"    mtu {switch.mtu}"]
        if number == switch.qos.priority:
            lines.append(f"    pause pfc-cos {number}")
    return lines


def _egress(switch: Switch) -> list[str]:
    lines = [f"policy-map type queuing {NAME}-OUT"]
    for number in sorted(PRIORITIES, reverse=True):
        lines.append(f"  class type queuing c-out-8q-q{number or '-default'}")
        lines += [f"    {line}" for line in _queue(switch, number)]
    return lines


def _queue(switch: Switch, number: int) -> list[str]:
    qos = switch.qos
    if number == qos.cnp_priority:
        return ["priority level 1"]
    if number != qos.priority:
        return [f"bandwidth remaining percent {100 - qos.share if number == switch.rest else 0}"]
    lines = [f"bandwidth remaining percent {qos.share}"]
    if qos.ecn:
        one = switch.wred["green"]
        limits = f"minimum-threshold {one.minimum} bytes maximum-threshold {one.maximum} bytes"
        lines.append(f"random-detect {limits} drop-probability {one.probability} weight 0 ecn")
    return lines


def _buffers(switch: Switch) -> list[str]:
    lines: list[str] = []
    for name, row in sorted({_buffer_of(port): switch.row(port) for port in switch.ports}.items()):
        lines += [f"policy-map type queuing {name}", f"  class type queuing c-in-q{switch.qos.priority}"]
        limits = f"pause-threshold {row.size - row.xoff} resume-threshold {row.xon}"
        lines.append(f"    pause buffer-size {row.size} {limits}")
    return lines


def _buffer_of(port: Port) -> str:
    return f"{NAME}-BUFFER-{port.speed}-{port.cable_m}M"


def _port(switch: Switch, port: Port) -> list[str]:
    lines = [f"mtu {switch.mtu}", "priority-flow-control mode on"]
    if switch.watchdog_ms:
        lines.append("priority-flow-control watch-dog-interval on")
    lines.append(f"service-policy type qos input {NAME}-IN")
    lines.append(f"service-policy type queuing input {_buffer_of(port)}")
    return [f"interface {port.name}", *(f"  {line}" for line in lines)]

"""What ``ibstat`` says about each channel adapter and its ports.

A part of real output::

    CA 'mlx5_0'
            CA type: MT4129
            Port 1:
                    State: Active
                    Physical state: LinkUp
                    Rate: 400

ibstat stops at the first device it cannot read, with a line ``ibpanic: [pid] main: stat of IB device 'mlx5_8'
failed: …``; what it printed before is true. Without any device it prints nothing and exits 0.
It deliberately finds no port good because a word is missing: only Active and LinkUp are good.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .natural import natural
from .reading import decimal, guid, joined, lines, not_output_of, number, quote

_DEVICE = re.compile(r"^(CA|Switch|Router|iWARP RNIC|\?\?\?):? '([^']+)'$")
_PORT = re.compile(r"^Port (\d+):$")
_FAILED_DEVICE = re.compile(r"device '([^']+)'")
_ERROR = re.compile(r"^(ibpanic|ibwarn|iberror|src/|ibstat):", re.IGNORECASE)


@dataclass(frozen=True)
class Port:
    """One port. ``rate_gbps``: the signalled rate. What was not printed is empty or None."""

    device: str
    port: int
    state: str = ""
    phys_state: str = ""
    rate_gbps: Optional[float] = None
    base_lid: Optional[int] = None
    sm_lid: Optional[int] = None
    guid: str = ""
    link_layer: str = ""

    @property
    def healthy(self) -> bool:
        """Whether the port carries traffic."""
        return (self.state, self.phys_state) == ("Active", "LinkUp")

    @property
    def summary(self) -> str:
        """State, physical state and rate in one line, for messages."""
        rate = "unknown" if self.rate_gbps is None else f"{self.rate_gbps:g} Gb/s"
        state, phys = self.state or "unknown", self.phys_state or "unknown"
        return f"{self.device} port {self.port}: state {state}, physical state {phys}, rate {rate}"


@dataclass(frozen=True)
class Device:
    """One adapter with the ports that were printed; ``port_count``: how many it says it has."""

    name: str
    kind: str = ""
    firmware: str = ""
    node_guid: str = ""
    system_guid: str = ""
    port_count: Optional[int] = None
    ports: Tuple[Port, ...] = ()


@dataclass(frozen=True)
class DeviceError:
    """A line in which ibstat tells what it could not do; ``device`` is empty where none is named."""

    device: str
    text: str


@dataclass(frozen=True)
class IbstatFacts:
    """Devices in natural order, what ibstat complained about, and why something may be missing (errors included)."""

    devices: Tuple[Device, ...] = ()
    errors: Tuple[DeviceError, ...] = ()
    problem: str = ""

    @property
    def ports(self) -> Tuple[Port, ...]:
        """All ports of all devices."""
        return tuple(port for device in self.devices for port in device.ports)

    @property
    def healthy(self) -> bool:
        """Whether there is a port, each is good, and nothing was left out."""
        return bool(self.ports) and not self.problem and all(port.healthy for port in self.ports)


def parse(text: str) -> IbstatFacts:
    """Return every block that was printed, also those before a panic."""
    blocks: List[Tuple[str, Dict[str, str], List[Tuple[int, Dict[str, str]]]]] = []
    errors: List[DeviceError] = []
    rest: List[str] = []
    for line in lines(text):
        word = line.strip()
        device, port = _DEVICE.match(word), _PORT.match(word)
        if _ERROR.match(word):
            named = _FAILED_DEVICE.search(word)
            errors.append(DeviceError(named[1] if named else "", word))
        elif device:
            blocks.append((device[2], {}, []))
        elif blocks and port:
            blocks[-1][2].append((int(port[1]), {}))
        elif blocks and ":" in word:
            key, _, value = word.partition(":")
            fields = blocks[-1][2][-1][1] if blocks[-1][2] else blocks[-1][1]
            fields.setdefault(key.strip(), value.strip())
        elif blocks:
            rest.append(f"not understood: {quote(word)}")
    devices = sorted((_device(*block) for block in blocks), key=lambda device: natural(device.name))
    # Only ibstat before OFED 1.5 prints no link layer; where one port has it, a port without it is cut off.
    layered = any(port.link_layer for device in devices for port in device.ports)
    problems = [error.text for error in errors] + rest + [_cut(device, layered) for device in devices]
    if not devices and not errors:
        problems.append(not_output_of("ibstat", text))
    return IbstatFacts(tuple(devices), tuple(errors), joined(*problems))


def _device(name: str, fields: Dict[str, str], ports: List[Tuple[int, Dict[str, str]]]) -> Device:
    kind = next((value for key, value in fields.items() if key.endswith(" type")), "")
    return Device(
        name,
        kind,
        fields.get("Firmware version", ""),
        guid(fields.get("Node GUID", "")),
        guid(fields.get("System image GUID", "")),
        number(fields.get("Number of ports")),
        tuple(_port(name, *port) for port in ports),
    )


def _port(device: str, index: int, fields: Dict[str, str]) -> Port:
    rate = fields.get("Rate", "").split(" ")[0]  # "40 (FDR10)"
    return Port(
        device,
        index,
        fields.get("State", ""),
        fields.get("Physical state", ""),
        decimal(rate),
        number(fields.get("Base lid")),
        number(fields.get("SM lid")),
        guid(fields.get("Port GUID", "")),
        fields.get("Link layer", ""),
    )


def _cut(device: Device, layered: bool) -> str:
    """Tell what is missing of a block: the port GUID stands near its end in every version."""
    if device.port_count is None or device.port_count > len(device.ports):
        return f"{device.name}: {len(device.ports)} of {device.port_count or 'unknown'} ports printed"
    short = [
        str(port.port)
        for port in device.ports
        if not (port.state and port.phys_state and port.guid) or (layered and not port.link_layer)
    ]
    return f"{device.name}: the block of port {', '.join(short)} is cut off" if short else ""

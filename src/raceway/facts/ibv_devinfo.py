"""What ``ibv_devinfo`` (also with ``-v``) says: firmware, port state, and the MTU that verbs traffic really uses.

A part of real output::

    hca_id: mlx5_0
            transport:                      InfiniBand (0)
            phys_port_cnt:                  1
                    port:   1
                            state:                  PORT_ACTIVE (4)
                            active_mtu:             1024 (3)
                            GID[  3]:               ::ffff:192.168.1.1, RoCE v2

``transport`` is InfiniBand on RoCE too; only ``link_layer`` tells them apart. Each value is followed by its number.
It deliberately keeps nothing of the long capability list of ``-v``: no check asks for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .gid import Gid, address_of, kind_of
from .natural import natural
from .reading import decimal, guid, joined, lines, not_output_of, number, quote

_GID = re.compile(r"^GID\[\s*(\d+)\]$")
_ERROR = re.compile(r"^(Failed to|IB device|Invalid port|No IB devices found|libibverbs:)", re.IGNORECASE)
_NONE = re.compile(r"^(No IB devices found|0 HCAs found:)$")
_LAYERS = ("InfiniBand", "Ethernet", "Unknown")
_TOOL = "ibv_devinfo"


@dataclass(frozen=True)
class Port:
    """One port. ``state`` and ``phys_state`` as words (ACTIVE, LINK_UP); MTUs in bytes; ``gids`` only with ``-v``.

    ``rate_gbps``: width times speed of a lane, only with ``-v``, None where the tool does not know the speed.
    """

    device: str
    port: int
    state: str = ""
    phys_state: str = ""
    max_mtu: Optional[int] = None
    active_mtu: Optional[int] = None
    lid: Optional[int] = None
    sm_lid: Optional[int] = None
    link_layer: str = ""
    rate_gbps: Optional[float] = None
    gids: Tuple[Gid, ...] = ()


@dataclass(frozen=True)
class Device:
    """One adapter; ``port_count``: how many ports it says it has, of which ``ports`` were printed."""

    name: str
    transport: str = ""
    firmware: str = ""
    node_guid: str = ""
    system_guid: str = ""
    vendor_id: Optional[int] = None
    part_id: Optional[int] = None
    board_id: str = ""
    port_count: Optional[int] = None
    ports: Tuple[Port, ...] = ()


@dataclass(frozen=True)
class IbvDevinfoFacts:
    """Devices in natural order. No devices and no problem: the tool said that there is none."""

    devices: Tuple[Device, ...] = ()
    problem: str = ""


class _Block:
    """Fields of a device and of its ports while the lines are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: Dict[str, str] = {}
        self.ports: List[Tuple[int, Dict[str, str], List[Gid]]] = []

    def take(self, key: str, value: str) -> None:
        """Put one ``key: value`` where it belongs."""
        index = _GID.match(key)
        port = number(value) if key == "port" else None
        if port is not None:
            self.ports.append((port, {}, []))
        elif self.ports and index:
            address, _, kind = value.partition(",")
            layer = self.ports[-1][1].get("link_layer", "")
            if address_of(address):
                self.ports[-1][2].append(Gid(int(index[1]), address_of(address), kind_of(kind, layer)))
        else:
            (self.ports[-1][1] if self.ports else self.fields).setdefault(key, value)


def parse(text: str) -> IbvDevinfoFacts:
    """Return each device that was printed, and what the tool could not do."""
    blocks: List[_Block] = []
    errors: List[str] = []
    none = False
    for line in lines(text):
        word = line.strip()
        key, _, value = word.partition(":")
        if _NONE.match(word):
            none = True
        elif _ERROR.match(word):
            errors.append(quote(word))
        elif key == "hca_id" and value.strip():
            blocks.append(_Block(value.strip()))
        elif key.startswith("GID["):
            if blocks:
                blocks[-1].take(key, value.strip())
        elif blocks and value:
            blocks[-1].take(key.strip(), value.strip())
    devices = sorted((_device(block) for block in blocks), key=lambda device: natural(device.name))
    if not devices and not none and not errors:
        errors.append(not_output_of(_TOOL, text))
    return IbvDevinfoFacts(tuple(devices), joined(*errors, *(_cut(device) for device in devices)))


def _word(value: str) -> str:
    """Return the word of ``PORT_ACTIVE (4)``."""
    return re.sub(r"\s*\(\d+\)$", "", value).replace("PORT_", "", 1)


def _size(value: str) -> Optional[int]:
    return number(value.split(" ")[0])


def _device(block: _Block) -> Device:
    fields = block.fields
    return Device(
        block.name,
        _word(fields.get("transport", "")),
        fields.get("fw_ver", ""),
        guid(fields.get("node_guid", "")),
        guid(fields.get("sys_image_guid", "")),
        number(fields.get("vendor_id")),
        number(fields.get("vendor_part_id")),
        fields.get("board_id", ""),
        number(fields.get("phys_port_cnt")),
        tuple(_port(block.name, *port) for port in block.ports),
    )


def _port(device: str, index: int, fields: Dict[str, str], gids: List[Gid]) -> Port:
    width = number(fields.get("active_width", "").split("X")[0])
    speed = decimal(fields.get("active_speed", "").split(" ")[0])
    return Port(
        device,
        index,
        _word(fields.get("state", "")),
        _word(fields.get("phys_state", "")),
        _size(fields.get("max_mtu", "")),
        _size(fields.get("active_mtu", "")),
        number(fields.get("port_lid")),
        number(fields.get("sm_lid")),
        fields.get("link_layer", ""),
        None if width is None or speed is None else width * speed,
        tuple(gids),
    )


def _cut(device: Device) -> str:
    if device.port_count is None or device.port_count != len(device.ports):
        return f"{device.name}: {len(device.ports)} of {device.port_count or 'unknown'} ports printed"
    # An MTU may be printed and be none (a port that is down); the link layer is always there and comes last.
    short = [str(port.port) for port in device.ports if not port.state or port.link_layer not in _LAYERS]
    return f"{device.name}: the block of port {', '.join(short)} is cut off" if short else ""

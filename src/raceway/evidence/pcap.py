"""What a capture holds: how many packets, and of RoCEv2 their opcodes, DSCPs and ECN marks.

The file format is libpcap's: a header of 24 bytes whose first four tell byte order and clock, then 16 bytes before each
packet. It deliberately reads Ethernet only, and looks no further than the base transport header.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Dict, Iterable, Iterator, Optional, Tuple

from .captures import CNP_OPCODE, PAUSE_ETHERTYPE, ROCE_PORT

HEADER, RECORD = 24, 16
# First four bytes → byte order; micro- and nanosecond clocks.
ORDERS = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
ETHERNET = 1
_VLAN = (0x8100, 0x88A8)
_IPV4, _IPV6, _UDP = 0x0800, 0x86DD, 17


@dataclass(frozen=True)
class Capture:
    """Counts of one capture. ``dscps`` and ``opcodes``: of RoCEv2 packets. ``marked``: with ECN CE."""

    packets: int = 0
    roce: int = 0
    cnps: int = 0
    pauses: int = 0
    marked: int = 0
    dscps: Tuple[Tuple[int, int], ...] = ()
    opcodes: Tuple[Tuple[int, int], ...] = ()
    problem: str = ""


def read(data: bytes) -> Capture:
    """Return what is in a file; a last packet that is cut off is left out and told."""
    order = ORDERS.get(data[:4])
    if order is None or len(data) < HEADER:
        return Capture(problem="printed nothing" if not data else "this is no capture file")
    if struct.unpack(order + "I", data[20:HEADER])[0] & 0xFFFF != ETHERNET:
        return Capture(problem="the frames are not Ethernet")
    seen = [(end, *_frame(frame)) for end, frame in _frames(order, data)]
    roce = [(tos, opcode) for _, _, tos, opcode in seen if opcode is not None]
    whole = seen[-1][0] if seen else HEADER
    return Capture(
        packets=len(seen),
        roce=len(roce),
        cnps=sum(opcode == CNP_OPCODE for _, opcode in roce),
        pauses=sum(kind == PAUSE_ETHERTYPE for _, kind, _, _ in seen),
        marked=sum(tos & 3 == 3 for tos, _ in roce),
        dscps=_counted(tos >> 2 for tos, _ in roce),
        opcodes=_counted(opcode for _, opcode in roce),
        problem="" if whole == len(data) else "the last packet is cut off",
    )


def _counted(values: Iterable[int]) -> Tuple[Tuple[int, int], ...]:
    found: Dict[int, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return tuple(sorted(found.items()))


def _frames(order: str, data: bytes) -> Iterator[Tuple[int, bytes]]:
    """Yield (place behind it, packet) of every whole packet."""
    place = HEADER
    while place + RECORD <= len(data):
        kept = struct.unpack(order + "I", data[place + 8 : place + 12])[0]
        end = place + RECORD + kept
        if end > len(data):
            return
        yield end, data[place + RECORD : end]
        place = end


def _frame(frame: bytes) -> Tuple[int, int, Optional[int]]:
    """Return ethertype, the IP header's traffic class, and the opcode of a RoCEv2 packet (None: it is none)."""
    place = 12
    kind = _number(frame, place)
    while kind in _VLAN:
        place += 4
        kind = _number(frame, place)
    ip = place + 2
    if kind == _IPV4 and len(frame) > ip + 9 and frame[ip + 9] == _UDP:
        return kind, frame[ip + 1], _opcode(frame, ip + (frame[ip] & 15) * 4)
    if kind == _IPV6 and len(frame) > ip + 6 and frame[ip + 6] == _UDP:
        return kind, (_number(frame, ip) >> 4) & 0xFF, _opcode(frame, ip + 40)
    return kind, 0, None


def _opcode(frame: bytes, udp: int) -> Optional[int]:
    return frame[udp + 8] if len(frame) > udp + 8 and _number(frame, udp + 2) == ROCE_PORT else None


def _number(frame: bytes, place: int) -> int:
    return int.from_bytes(frame[place : place + 2], "big")

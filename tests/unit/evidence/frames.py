"""Builders of Ethernet frames and capture files, made by hand so that the reader is not its own oracle."""

from __future__ import annotations

import struct

MACS = bytes.fromhex("b8cef6123456b8cef6654321")
LITTLE, BIG, NANO = b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1"


def make_roce(opcode: int = 0x0A, dscp: int = 26, ecn: int = 2, vlan: bool = False, port: int = 4791) -> bytes:
    """RoCEv2 over IPv4."""
    bth = bytes([opcode, 0x40, 0xFF, 0xFF]) + bytes(8)
    udp = struct.pack("!HHHH", 49152, port, 8 + len(bth), 0) + bth
    ip = bytes([0x45, dscp << 2 | ecn]) + struct.pack("!H", 20 + len(udp)) + bytes(4) + bytes([64, 17, 0, 0]) + bytes(8)
    tag = bytes.fromhex("81006064") if vlan else b""
    return MACS + tag + bytes.fromhex("0800") + ip + udp


def make_roce6(opcode: int = 0x0A, dscp: int = 26, ecn: int = 2) -> bytes:
    """RoCEv2 over IPv6."""
    bth = bytes([opcode, 0x40, 0xFF, 0xFF]) + bytes(8)
    udp = struct.pack("!HHHH", 49152, 4791, 8 + len(bth), 0) + bth
    head = struct.pack("!IHBB", 6 << 28 | (dscp << 2 | ecn) << 20, len(udp), 17, 64)
    return MACS + bytes.fromhex("86dd") + head + bytes(32) + udp


def make_pause(priorities: int = 1 << 3) -> bytes:
    """A PFC frame."""
    destination = bytes.fromhex("0180c2000001")
    return destination + MACS[:6] + bytes.fromhex("88080101") + struct.pack("!H", priorities) + bytes(42)


def make_pcap(*frames: bytes, magic: bytes = LITTLE, link: int = 1) -> bytes:
    """A capture file of these frames."""
    order = ">" if magic == BIG else "<"
    data = magic + struct.pack(order + "HHIIII", 2, 4, 0, 0, 74, link)
    for number, frame in enumerate(frames):
        data += struct.pack(order + "IIII", 1_700_000_000 + number, 0, len(frame), len(frame) + 1000) + frame
    return data

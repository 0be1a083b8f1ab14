"""Headroom by (port speed, cable length): what a port must still take in after it has asked its peer to pause.

SONiC looks the pair up and silently reserves nothing when it is missing (sonic-net/SONiC#480), so its table holds only
lengths a vendor has published. The other platforms get a grid by formula. It deliberately never rounds a length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from raceway.switch.model import Headroom

Table = Mapping[tuple[int, int], Headroom]
SPEEDS = (10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000)  # Mb/s
LENGTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 100, 300)  # metres
# Bytes by speed, NVIDIA SN5610N in sonic-buildimage (pg_profile_lookup.ini at 223508b0): xoff per length, then xon.
# The published size is their sum. Its 1000 m rows lean on a shared headroom pool, which is not declared here.
_NVIDIA_XOFF = {
    5: (20480, 21504, 24576, 26624, 44032, 50176, 86016, 95232),
    40: (20480, 22528, 25600, 28672, 49152, 60416, 104448, 132096),
    300: (23552, 30720, 39936, 46080, 83968, 130048, 243712, 411648),
}
_NVIDIA_XON = {800_000: 38912}
_NVIDIA_XON_BELOW = 19456


def nvidia() -> Table:
    """Return the rows of an NVIDIA Spectrum-4 as SONiC ships them."""
    rows: dict[tuple[int, int], Headroom] = {}
    for metres, column in _NVIDIA_XOFF.items():
        for speed, xoff in zip(SPEEDS, column):
            xon = _NVIDIA_XON.get(speed, _NVIDIA_XON_BELOW)
            rows[speed, metres] = Headroom(xon + xoff, xon, xoff)
    return rows


def in_flight(speed: int, metres: int, mtu: int) -> int:
    """Return the bytes that still arrive after a pause was sent, by the formula of the mlx5 driver (port_buffer.c).

    >>> in_flight(400_000, 7, 9000)
    150928
    """
    return math.ceil((301 + 2.16 * metres) * speed / 1000 + 2.72 * mtu - 1e-6)


def by_formula(mtu: int) -> Table:
    """Return a grid of all common speeds and lengths: the NIC's formula taken for a switch, a figure of ours.

    Below ``xoff`` there is room for three frames, and the peer may send again at two.
    """
    rows: dict[tuple[int, int], Headroom] = {}
    for speed in SPEEDS:
        for metres in LENGTHS:
            xoff = in_flight(speed, metres, mtu)
            rows[speed, metres] = Headroom(xoff + 3 * mtu, 2 * mtu, xoff)
    return rows


def table(platform: str, mtu: int) -> Table:
    """Return the rows a platform has before its inventory adds some."""
    return nvidia() if platform == "sonic" else by_formula(mtu)

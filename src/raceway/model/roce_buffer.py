"""How a port's receive buffer is divided where the declaration says so, and what a lossless priority needs of it.

Buffer 0 is everybody's, each lossless priority has one of its own. It deliberately leaves the division to the driver
unless ``roce_buffer`` is ``headroom``: mlx5 sizes buffers by cable and PFC until the first size set by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional, Tuple

from .qos import PRIORITIES, Qos

AUTO, HEADROOM = "auto", "headroom"
POLICIES = (AUTO, HEADROOM)
STEP = 1024  # bytes a size is rounded up to
# Drivers count in cells of at most some hundred bytes: a size that differs by less is the same size.
CELL = 512


@dataclass(frozen=True)
class Division:
    """Eight each: the buffer of each priority, and the size of each buffer in bytes."""

    priority_buffer: Tuple[int, ...]
    sizes: Tuple[int, ...]


def headroom(qos: Qos, speed_gbps: float) -> int:
    """Return the bytes a lossless buffer needs to take in what is still on its way after a pause frame is sent.

    ``(301 + 2.16 × metres) × Gb/s + 2.72 × MTU``: the formula of the mlx5 driver (``port_buffer.c``).
    """
    return round((301 + 2.16 * qos.cable_m) * speed_gbps + 2.72 * qos.mtu)


def least(qos: Qos, speed_gbps: float) -> int:
    """Return the bytes of receive buffer a port needs for all its lossless priorities."""
    return len(qos.paused) * headroom(qos, speed_gbps)


def divide(qos: Qos, speed_gbps: float, total: int) -> Optional[Division]:
    """Return the division of ``total`` bytes, None where it does not suffice.

    A lossless buffer is its headroom and two packets: mlx5 pauses at size − headroom and goes on one MTU below. What
    is more than two packets for everybody else is shared out evenly.
    """
    packets = 2 * qos.mtu
    need = _up(headroom(qos, speed_gbps) + packets)
    spare = total - len(qos.paused) * need - packets
    if spare < 0:
        return None
    each = need + spare // (len(qos.paused) + 1) // STEP * STEP
    own: Dict[int, int] = {priority: number for number, priority in enumerate(qos.paused, 1)}
    lossless = len(own) * each
    # What is left for buffer 0 is rounded down, so that the sum never passes what the port has.
    sizes = [(total - lossless) // STEP * STEP, *([each] * len(own))]
    return Division(tuple(own.get(number, 0) for number in PRIORITIES), tuple([*sizes, *[0] * 8][:8]))


def holds(wanted: Tuple[int, ...], found: Optional[Tuple[int, ...]]) -> bool:
    """Tell whether sizes are as wanted, but for the driver's rounding to cells."""
    return found is not None and all(abs(want - have) < CELL for want, have in zip(wanted, found))


def _up(size: int) -> int:
    return -(-size // STEP) * STEP

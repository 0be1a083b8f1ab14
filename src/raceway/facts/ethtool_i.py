"""What ``ethtool -i X`` says: driver, its version, firmware, and the PCI address behind an interface's name.

    driver: mlx5_core
    firmware-version: 28.39.1002 (MT_0000000838)
    bus-info: 0000:5e:00.0

It deliberately gives None for a value that is empty or N/A, as virtual interfaces have them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Mapping, Optional

from .verdict import ended, fields, known, problem

SUPPORTS = re.compile("supports-")
KEYS = ("driver", "version", "firmware-version", "expansion-rom-version", "bus-info")


@dataclass(frozen=True)
class Driver:
    """One interface. ``firmware`` without the board's ``psid``, which mlx5 prints behind it in brackets.

    ``supports``: what the driver says it can do (``statistics``, ``priv-flags`` …).
    """

    driver: Optional[str] = None
    version: Optional[str] = None
    firmware: Optional[str] = None
    psid: Optional[str] = None
    rom: Optional[str] = None
    bus: Optional[str] = None
    supports: Mapping[str, bool] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> Driver:
    """Read the output of one interface."""
    shown, half = ended(text)
    values = fields(line for line in shown if line.split(":")[0] in KEYS or SUPPORTS.match(line))
    rest = [line for line in shown if line.split(":")[0] not in values]
    # Old tools (before 3.0) print no supports lines, but every version ends with the bus.
    cut = [] if "bus-info" in values else ["bus-info"]
    firmware = known(values.get("firmware-version"))
    board = re.fullmatch(r"(\S+) \((\w+)\)", firmware or "")
    asked = {
        SUPPORTS.sub("", name): value == "yes"
        for name, value in values.items()
        if SUPPORTS.match(name) and value in ("yes", "no")
    }
    return Driver(
        driver=known(values.get("driver")),
        version=known(values.get("version")),
        firmware=board[1] if board else firmware,
        psid=board[2] if board else None,
        rom=known(values.get("expansion-rom-version")),
        bus=known(values.get("bus-info")),
        supports=asked,
        problem=problem("ethtool -i", bool(values), rest, cut, half),
    )

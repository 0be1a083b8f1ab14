"""What ``ethtool -g X`` says of ring sizes, as text or with ``--json``.

    Pre-set maximums:
    RX:		8192
    RX Mini:	n/a

It deliberately keeps maximums and current values apart by their headings: both blocks use the same names. ``n/a`` is
None; old tools print 0 there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from .reading import joined, number
from .verdict import ended, problem, split_json

HEADINGS = {"Pre-set maximums:": "maximum", "Current hardware settings:": "current"}
NAMES = {"RX": "rx", "RX Mini": "rx_mini", "RX Jumbo": "rx_jumbo", "TX": "tx"}


@dataclass(frozen=True)
class Ring:
    """Descriptors of a ring of each kind, None where the device has none or it is not known."""

    rx: Optional[int] = None
    rx_mini: Optional[int] = None
    rx_jumbo: Optional[int] = None
    tx: Optional[int] = None


@dataclass(frozen=True)
class Rings:
    """One interface. ``other``: what newer tools add (``CQE Size``, ``TX Push``), verbatim, from the current block."""

    interface: str = ""
    maximum: Ring = field(default_factory=Ring)
    current: Ring = field(default_factory=Ring)
    other: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> Rings:
    """Read the output of one interface."""
    rows, before, wrong = split_json(text)
    if rows is not None:
        return _from_json(rows[0] if rows else {}, before, wrong)
    blocks: Dict[str, Dict[str, str]] = {}
    left: List[str] = []
    block = interface = ""
    shown, half = ended(text)
    for line in shown:
        name, _, size = (part.strip() for part in line.partition(":"))
        if line.startswith("Ring parameters for "):
            interface = line[len("Ring parameters for ") :].rstrip(":")
        elif line.strip() in HEADINGS:
            block = HEADINGS[line.strip()]
            blocks[block] = {}
        elif block and size:
            blocks[block][name] = size
        else:
            left.append(line)
    maximum, current = (_ring(blocks.get(key, {})) for key in HEADINGS.values())
    cut = [heading.rstrip(":") for heading, key in HEADINGS.items() if "TX" not in blocks.get(key, {})]
    other = {name: value for name, value in blocks.get("current", {}).items() if name not in NAMES}
    return Rings(interface, maximum, current, other, problem("ethtool -g", bool(interface or blocks), left, cut, half))


def _ring(block: Mapping[str, str]) -> Ring:
    return Ring(**{key: number(block.get(name)) for name, key in NAMES.items()})


def _from_json(row: Dict[str, Any], before: List[str], wrong: str) -> Rings:
    names = {key: key.replace("_", "-") for key in NAMES.values()}
    ours = {*names.values(), *(f"{name}-max" for name in names.values())}
    said = problem("ethtool -g", bool(ours & set(row)), before, () if wrong else sorted({"rx", "rx-max"} - set(row)))
    return Rings(
        interface=str(row.get("ifname", "")),
        maximum=Ring(**{key: number(row.get(f"{name}-max")) for key, name in names.items()}),
        current=Ring(**{key: number(row.get(name)) for key, name in names.items()}),
        other={name: str(size) for name, size in row.items() if name not in {*ours, "ifname"}},
        problem=joined(wrong, said if not wrong or before else ""),
    )

"""What ``mlxconfig -d B q`` (or ``mstconfig``) says of firmware settings, with ``-e`` also what runs now.

    Configurations:                              Default         Current         Next Boot
    *        LINK_TYPE_P1                        IB(1)           IB(1)           ETH(2)
             ESWITCH_HAIRPIN_DESCRIPTORS         Array[0..7]     Array[0..7]     Array[0..7]

It deliberately says ``pending`` only where it saw both columns: without ``-e`` there is one, what the next boot will
have, and nothing is known about what runs. The asterisk is not used: it also marks what differs from the default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

from .reading import number
from .verdict import ended, problem

COLUMNS = {"Default": "default", "Current": "current", "Next Boot": "next"}
HEAD = re.compile(r"\s*(Device type|Name|Description|Device|PCI device):\s*(.*)$")
SETTING = re.compile(r"\s*\*?\s*(?:RO\s+)?([A-Z][A-Z0-9]*(?:_[A-Za-z0-9]+)*(?:\[[0-9]+\])?)\s+(\S.*)$")
NOISE = re.compile(r"\s*(Device #\d+:|-+|The '\*' shows .*|Querying Mellanox devices firmware .*|\.\.\.)$")


@dataclass(frozen=True)
class Setting:
    """One parameter, values as printed; None where the column was not printed.

    ``number``: of the next value, from ``48``, ``True(1)`` or ``ETH(2)``. ``pending``: the next boot changes it;
    None where current and next are not both known.
    """

    name: str
    default: Optional[str] = None
    current: Optional[str] = None
    next: Optional[str] = None
    number: Optional[int] = None
    pending: Optional[bool] = None


@dataclass(frozen=True)
class Card:
    """One device. ``pending``: names of settings that wait for a reset; None where that cannot be known."""

    device: str = ""
    kind: str = ""
    part: str = ""
    settings: Tuple[Setting, ...] = ()
    pending: Optional[Tuple[str, ...]] = None

    def setting(self, name: str) -> Optional[Setting]:
        """Return one setting by its name, None where this firmware has none of it."""
        return next((one for one in self.settings if one.name == name), None)


@dataclass(frozen=True)
class FirmwareConfig:
    """All devices of one output, in its order."""

    cards: Tuple[Card, ...] = ()
    problem: str = ""


def parse(text: str) -> FirmwareConfig:
    """Read the output for any number of devices."""
    cards: List[Card] = []
    rest: List[str] = []
    columns: List[str] = []
    shown, half = ended(text)
    for line in shown:
        head, heading = HEAD.match(line), line.strip().startswith("Configurations:")
        if head:
            if head[1] == "Device type" or not cards or columns:
                cards.append(Card())
                columns = []
            cards[-1] = _described(cards[-1], head[1], head[2])
        elif heading:
            columns = [COLUMNS[name] for name in re.findall("Default|Current|Next Boot", line)]
            cards = cards or [Card()]
        elif columns and SETTING.match(line) and not line.lstrip().startswith("-E-"):
            values = _setting(line, columns)
            cards[-1] = replace(cards[-1], settings=(*cards[-1].settings, values)) if values else cards[-1]
            rest += [] if values else [line]
        elif not NOISE.match(line):
            rest.append(line)
    found = [SETTING.match(line) for line in rest]
    odd = [f"values of {one[1]}" for one in found if one]
    cut = [*odd, *(f"settings of {card.device or 'the device'}" for card in cards if not card.settings)]
    settled = (_settled(card, complete=not half or card is not cards[-1]) for card in cards)
    return FirmwareConfig(tuple(settled), problem("mlxconfig q", bool(cards), rest, cut, half))


def _described(card: Card, name: str, value: str) -> Card:
    if name == "Device type":
        return replace(card, kind=value.strip())
    if name == "Name":
        return replace(card, part=value.strip())
    return replace(card, device=value.strip()) if name in ("Device", "PCI device") else card


def _setting(line: str, columns: List[str]) -> Optional[Setting]:
    found = SETTING.match(line)
    if not found:
        return None
    # A value may hold single blanks; columns stand at least two apart, except behind a very long name.
    for values in (re.split(r"\s{2,}", found[2].strip()), found[2].split()):
        if len(values) == len(columns):
            by_column = dict(zip(columns, values))
            current, following = by_column.get("current"), by_column.get("next")
            pending = None if current is None or following is None else current != following
            return Setting(found[1], **by_column, number=_number(following), pending=pending)
    return None


def _number(value: Optional[str]) -> Optional[int]:
    inside = re.search(r"\(((?:0x)?[0-9a-fA-F]+)\)$", value or "")
    return number(inside[1] if inside else value)


def _settled(card: Card, complete: bool) -> Card:
    if not complete or not card.settings or any(one.pending is None for one in card.settings):
        return card
    return replace(card, pending=tuple(one.name for one in card.settings if one.pending))

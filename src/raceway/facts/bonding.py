"""What ``/proc/net/bonding/X`` says: the mode, and of each member whether its link counts as up.

    Bonding Mode: fault-tolerance (active-backup)
    Currently Active Slave: data0
    Slave Interface: data0
    MII Status: up
    Permanent HW addr: 52:54:01:02:03:01

It deliberately keeps the driver's own words for the mode: the numbers and short names stand in ``model/rails.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .reading import joined, lines, not_output_of, number, quote

_MEMBER = "Slave Interface"
_HEAD = "Bonding Mode"
_LACP_HEADING = "802.3ad info"  # the one line without a value


@dataclass(frozen=True)
class Member:
    """One member. ``up``: whether the bond uses its link; ``failures``: how often the link was lost since it joined."""

    name: str
    up: Optional[bool] = None
    failures: Optional[int] = None
    permanent_mac: str = ""


@dataclass(frozen=True)
class BondingFacts:
    """``active``: the member that sends, where the mode has one; ``polling_ms``: how often links are looked at."""

    mode: str = ""
    active: str = ""
    up: Optional[bool] = None
    polling_ms: Optional[int] = None
    members: Tuple[Member, ...] = ()
    problem: str = ""


def parse(text: str) -> BondingFacts:
    """Return the bond and its members in the order they joined."""
    blocks: List[Dict[str, str]] = [{}]
    problems: List[str] = []
    for line in lines(text):
        name, colon, value = line.strip().partition(":")
        if name == _LACP_HEADING:
            continue
        if not colon:
            problems.append(f"not understood: {quote(line)}")
            continue
        if name == _MEMBER:
            blocks.append({})
        blocks[-1].setdefault(name, value.strip())
    head = blocks[0]
    if _HEAD not in head:
        return BondingFacts(problem=not_output_of("/proc/net/bonding", text))
    members = tuple(_member(block) for block in blocks[1:])
    # The address is the last of what every version prints of a member.
    cut = [one.name for one in members if one.up is None or not one.permanent_mac]
    problems += [f"{name}: its part is cut off" for name in cut]
    problems += [] if "MII Status" in head else ["the bond's state is missing or cut off"]
    return BondingFacts(
        mode=head[_HEAD],
        active="" if head.get("Currently Active Slave", "None") == "None" else head["Currently Active Slave"],
        up=_up(head.get("MII Status")),
        polling_ms=number(head.get("MII Polling Interval (ms)")),
        members=members,
        problem=joined(*problems),
    )


def _member(block: Dict[str, str]) -> Member:
    mac = block.get("Permanent HW addr", "").lower()
    return Member(block[_MEMBER], _up(block.get("MII Status")), number(block.get("Link Failure Count")), mac)


def _up(word: Optional[str]) -> Optional[bool]:
    return None if not word else word == "up"

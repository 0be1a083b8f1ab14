"""Arista EOS's running configuration.

    qos map dscp 26 to traffic-class 3
    qos profile ROCE
       priority-flow-control priority 3 no-drop
       uc-tx-queue 3
          random-detect ecn minimum-threshold 150000 bytes maximum-threshold 1500000 bytes max-mark-probability 20
    interface Ethernet1/1
       service-profile ROCE

What stands in the interface itself outranks its profile. ``show running-config`` leaves out what equals a default, so
give the output of ``show running-config all``.
It deliberately compares no threshold in segments or kbytes: their size in bytes is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raceway.switch.model import EVERY, NOTHING, OFF, ON, PortConfig, QueueConfig, Running
from raceway.switch.words import Block, blocks, in_bytes, numbers, pairs, whole

_MAP = re.compile(r"qos map (dscp|traffic-class) ([\d ,-]+) to (traffic-class|uc-tx-queue|tx-queue) (\d+)")
_DOG = "priority-flow-control pause watchdog"
_TRUST = {"dscp": "dscp", "cos": "pcp"}
_MMU = "platform trident mmu queue profile"


def parse(text: str, file: str) -> Running:
    """Return what each Ethernet interface is given."""
    top = blocks(text, file)
    maps = _maps(top)
    headroom = _headroom(top)
    found: dict[str, PortConfig] = {}
    for block in top.under("interface"):
        name = block.line.removeprefix("interface").strip()
        if name.startswith("Ethernet"):
            found[name] = _port(top, block, maps, headroom)
    return found


def _maps(top: Block) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {"dscp": {}, "traffic-class": {}}
    for block in top.under("qos map"):
        match = _MAP.fullmatch(block.line)
        if match and (match[1] == "dscp") == (match[3] == "traffic-class"):
            found[match[1]].update(dict.fromkeys(numbers(match[2].replace(" ", ",")), int(match[4])))
    return found


def _headroom(top: Block) -> dict[int, str]:
    """The whole switch has one: that of the MMU profile that is applied."""
    applied = [block.line.removesuffix(" apply") for block in top.under(_MMU) if block.line.endswith(" apply")]
    values = [block.after("ingress headroom") for block in top.under(_MMU) if block.line in applied[-1:]]
    text = next((value for value in values if value), "")
    amount = text.removeprefix("bytes ")
    return dict.fromkeys(range(8), amount) if text else {}


def _port(top: Block, own: Block, maps: Mapping[str, dict[int, int]], headroom: Mapping[int, str]) -> PortConfig:
    profile = own.after("service-profile")
    inner = [block for one in top.under("qos profile") if one.line == f"qos profile {profile}" for block in one.inner]
    both = Block(own.line, (*inner, *own.inner))
    lines = [block.line for block in both.inner]
    return PortConfig(
        trust=_trust(lines),
        dscp=maps["dscp"] or None,
        queue_of=maps["traffic-class"] or None,
        pfc=_pfc(lines),
        headroom=headroom,
        queues={number: _queue(both, number) for number in range(8)},
        watchdog=EVERY if _last(lines, _DOG) else frozenset(),
        watchdog_ms=_timeout(top, both),
        mtu=whole(own.after("mtu")),
    )


def _last(lines: list[str], wanted: str) -> bool:
    """True when the last of ``wanted`` and ``no wanted`` is the former."""
    said = [line for line in lines if line in (wanted, f"no {wanted}")]
    return bool(said) and said[-1] == wanted


def _trust(lines: list[str]) -> str | None:
    said = [line for line in lines if line.startswith("qos trust ") or line == "no qos trust"]
    return _TRUST.get(said[-1].removeprefix("qos trust "), NOTHING) if said else None


def _pfc(lines: list[str]) -> frozenset[int]:
    found: set[int] = set()
    for line in lines:
        match = re.fullmatch(r"(no )?priority-flow-control priority (\d+)( no-drop| drop)?", line)
        if match and match[3] == " no-drop" and not match[1]:
            found.add(int(match[2]))
        elif match:
            found.discard(int(match[2]))
    return frozenset(found) if _last(lines, "priority-flow-control on") else frozenset()


def _queue(port: Block, number: int) -> QueueConfig:
    inner = [line for block in port.under(f"uc-tx-queue {number}", f"tx-queue {number}") for line in block.inner]
    queue = Block("", tuple(inner))
    priority = [block.line for block in queue.under("priority", "no priority")]
    marking = queue.after("random-detect ecn minimum-threshold")
    shown = f"minimum-threshold {marking}" if marking else ""
    found = pairs(shown, ["max-mark-probability"])
    return QueueConfig(
        ecn=ON if marking else OFF,
        strict=(ON if priority[-1] == "priority strict" else OFF) if priority else None,
        share=whole(queue.after("bandwidth percent")),
        wred={
            "green.min": in_bytes(shown, "minimum-threshold"),
            "green.max": in_bytes(shown, "maximum-threshold"),
            "green.probability": whole(found.get("max-mark-probability")),
        },
    )


def _timeout(top: Block, port: Block) -> str | None:
    """Milliseconds: the port's own timer, else the switch's default."""
    own = port.after(f"{_DOG} port timer timeout")
    seconds = (own or top.after(f"{_DOG} default timeout") or "").partition(" ")[0]
    return f"{float(seconds) * 1000:g}" if re.fullmatch(r"\d+(\.\d+)?", seconds) else None

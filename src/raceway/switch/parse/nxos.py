"""Cisco NX-OS's running configuration (Nexus 9000, eight queues).

    class-map type qos match-any ROCE
      match dscp 26
    policy-map type qos IN
      class ROCE
        set qos-group 3
    interface Ethernet1/1
      priority-flow-control mode on
      service-policy type qos input IN

A policy of ``system qos`` counts where a port has none of its own.
It deliberately calls PFC in mode auto unknown: whether it is on then depends on what the neighbour advertises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raceway.switch.model import EVERY, IDENTITY, NOTHING, OFF, ON, Headroom, PortConfig, QueueConfig, Running
from raceway.switch.words import Block, blocks, in_bytes, numbers, pairs, whole

_NAMES = {"default": 0, "ef": 46, **{f"cs{n}": 8 * n for n in range(1, 8)}}
_NAMES.update({f"af{x}{y}": 8 * x + 2 * y for x in range(1, 5) for y in range(1, 4)})  # RFC 2597
_PAUSE = re.compile(r"pause buffer-size (\d+) pause-threshold (\d+) resume-threshold (\d+)")
_DOG = "priority-flow-control watch-dog"


def parse(text: str, file: str) -> Running:
    """Return what each Ethernet interface is given."""
    switch = _Switch(blocks(text, file))
    found: dict[str, PortConfig] = {}
    for block in switch.top.under("interface"):
        name = block.line.removeprefix("interface").strip()
        if name.startswith("Ethernet"):
            found[name] = switch.port(block)
    return found


class _Switch:
    """What ports share, each policy worked out once."""

    def __init__(self, top: Block) -> None:
        self.top = top
        self._system = Block("", tuple(line for block in top.under("system qos") for line in block.inner))
        self._policies = {block.line: block for block in top.under("policy-map")}
        self._matches = {block.line.split()[-1]: tuple(_matches(block)) for block in top.under("class-map")}
        self._dog = (top.after(f"{_DOG}-interval"), _detection(top))
        self._shared = {line: self._share(block) for line, block in self._policies.items()}
        lone = [line for line in self._policies if line.startswith("policy-map type qos ")]
        self._lone = lone[0] if len(lone) == 1 else ""  # a right map that no port uses is told once, as trust

    def port(self, own: Block) -> PortConfig:
        """Return what one port is given."""
        classify, network = self._named(own, "qos", "input"), self._named(own, "network-qos", "")
        trusted = self._shared.get(classify, PortConfig(trust=NOTHING))
        egress, ingress = self._named(own, "queuing", "output"), self._named(own, "queuing", "input")
        watched = own.after(f"{_DOG}-interval") == self._dog[0] == ON
        return PortConfig(
            trust=trusted.trust,
            dscp=self._shared.get(classify or self._lone, trusted).dscp,
            queue_of=IDENTITY,  # qos-group n is queue n, nothing to configure
            pfc=_pfc(own, self._policies.get(network)),
            headroom=self._shared.get(ingress, trusted).headroom,
            queues=self._shared.get(egress, trusted).queues,
            watchdog=EVERY if watched else frozenset(),
            watchdog_ms=self._dog[1],
            mtu=_mtu(own, self._policies.get(network)),
        )

    def _named(self, own: Block, kind: str, way: str) -> str:
        """Return the line of the policy a port has, or the system; empty where that is not defined."""
        words = f"service-policy type {kind} {way}".strip()
        line = f"policy-map type {kind} {own.after(words) or self._system.after(words)}"
        return line if line in self._policies else ""

    def _share(self, policy: Block) -> PortConfig:
        if policy.line.startswith("policy-map type qos "):
            return PortConfig(trust=self._trust(policy), dscp=self._groups(policy))
        if policy.line.startswith("policy-map type queuing "):
            queues = {number: _queue(policy, number) for number in range(8)}
            return PortConfig(queues=queues, headroom=dict(_headroom(policy)))
        return PortConfig()

    def _trust(self, policy: Block) -> str:
        names = [block.line.split()[-1] for block in policy.under("class")]
        kinds = {what for name in names for what, _ in self._matches.get(name, ())}
        return "dscp" if "dscp" in kinds else "pcp" if "cos" in kinds else NOTHING

    def _groups(self, policy: Block) -> dict[int, int]:
        """DSCP → qos-group: the first class that matches, else what class-default sets, else group 0."""
        found: dict[int, int] = {}
        rest = 0
        for block in policy.under("class"):
            group = whole(block.after("set qos-group"))
            name = block.line.split()[-1]
            if group and name == "class-default":
                rest = int(group)
            for what, values in self._matches.get(name, ()):
                for dscp in _dscps(values) if what == "dscp" and group else ():
                    found.setdefault(dscp, int(group or 0))
        return {**dict.fromkeys(range(64), rest), **found}


def _matches(block: Block) -> Iterator[tuple[str, str]]:
    """Yield (dscp or cos, its values) of a class-map of classification."""
    for row in block.under("match dscp", "match cos"):
        words = row.line.split(" ", 2)
        if len(words) == 3:
            yield words[1], words[2]


def _dscps(values: str) -> list[int]:
    words = values.replace(",", " ").lower().split()
    return [number for word in words for number in ([_NAMES[word]] if word in _NAMES else numbers(word))]


def _pfc(own: Block, network: Block | None) -> frozenset[int] | None:
    mode = own.after("priority-flow-control mode")
    if mode == OFF:
        return frozenset()
    if mode != ON:
        return None
    classes = network.under("class") if network else iter(())
    return frozenset(number for block in classes for number in numbers(block.after("pause pfc-cos") or ""))


def _mtu(own: Block, network: Block | None) -> str | None:
    port = whole(own.after("mtu"))
    values = [whole(block.after("mtu")) for block in network.under("class")] if network else []
    small = [value for value in values if value and port and int(value) < int(port)]
    return f"{port}, but {small[0]} in a class of the network policy" if small else port


def _headroom(policy: Block) -> Iterator[tuple[int, str]]:
    for number in range(8):
        for block in policy.under(f"class type queuing c-in-q{number or '-default'}"):
            for row in block.under("pause buffer-size"):
                match = _PAUSE.fullmatch(row.line)
                size, pause, resume = map(int, match.groups()) if match else (0, 0, 0)
                yield number, str(Headroom(size, resume, size - pause)) if match else row.line


def _queue(policy: Block, number: int) -> QueueConfig:
    block = next(policy.under(f"class type queuing c-out-8q-q{number or '-default'}"), Block(""))
    marking = block.after("random-detect")
    found = pairs(marking or "", ["drop-probability"])
    return QueueConfig(
        ecn=ON if marking and marking.split()[-1] == "ecn" else OFF,
        strict=ON if block.after("priority") is not None else OFF,
        share=whole(block.after("bandwidth remaining percent") or block.after("bandwidth percent")),
        wred={
            "green.min": in_bytes(marking or "", "minimum-threshold"),
            "green.max": in_bytes(marking or "", "maximum-threshold"),
            "green.probability": whole(found.get("drop-probability")),
        },
    )


def _detection(top: Block) -> str | None:
    interval, times = whole(top.after(f"{_DOG} interval")), whole(top.after(f"{_DOG} shutdown-multiplier"))
    return str(int(interval) * int(times)) if interval and times else None

"""Cumulus Linux's configuration: NVUE commands, or the YAML or JSON that ``nv config show`` prints.

    nv set qos mapping roce dscp 26 switch-priority 3
    nv set interface swp1-4,swp6 qos mapping profile roce
    - set: {qos: {mapping: {roce: {dscp: {'26': {switch-priority: 3}}}}}}

All three become one tree of words. Defaults that NVIDIA documents are filled in: the default profile leads a DSCP to
DSCP >> 3, PFC and its watchdog are off.
It deliberately does not guess what ``nv set qos roce`` implies in this release: unknown until the profile is shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from raceway.errors import RacewayError
from raceway.switch.model import DERIVED, EVERY, NOTHING, PortConfig, QueueConfig, Running
from raceway.switch.words import is_number, spread, switched, whole

_LISTS = frozenset({"interface", "dscp", "pcp", "switch-priority", "traffic-class"})  # their next word may be a range
_TRUST = {"l3": "dscp", "both": "dscp and pcp", "l2": "pcp", "port": NOTHING}
_DEFAULT = "default-global"
_OWN_BUFFER = ("port-buffer", "xoff-threshold", "xon-threshold")
_STOCK = {dscp: dscp >> 3 for dscp in range(64)}  # the default profile's map (Cumulus Linux QoS guide)
_POLL_MS, _POLLS = "100", "3"  # NVUE reference, qos pfc-watchdog


class Tree(dict[str, "Tree"]):
    """Words below words; a value is a word with nothing below it."""

    def at(self, *path: str) -> Tree:
        """Return what is below a path, an empty tree where the path leads nowhere."""
        node = self
        for word in path:
            node = node.get(word, Tree())
        return node

    def value(self, *path: str) -> str | None:
        """Return the value that was set last below a path."""
        return next(reversed(self.at(*path)), None)

    def add(self, words: Sequence[str], before: str = "") -> None:
        """Put in one line of words; lists and ranges of ports, DSCPs and classes become several branches."""
        if words:
            for word in spread(words[0]) if before in _LISTS else (words[0],):
                node = self.pop(word, Tree())  # back in at the end: what is set last counts
                self[word] = node
                node.add(words[1:], words[0])


def parse(text: str, file: str) -> Running:
    """Return what each front panel port is given."""
    tree = Tree()
    lines = [line.strip() for line in text.splitlines()]
    commands = [line for line in lines if line.startswith("nv set ")]
    if commands:
        for line in commands:
            tree.add(_words(line, file)[2:])
    else:
        _from_yaml(tree, text, file)
    return {name: _port(tree, name) for name in tree.at("interface") if name.startswith("swp")}


def _words(line: str, file: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise RacewayError(file, f"{line!r}: {error}", "whole NVUE commands", "fetch it again") from error


def _from_yaml(tree: Tree, text: str, file: str) -> None:
    try:
        data = yaml.load(text, Loader=yaml.BaseLoader)  # makes nothing but text
    except yaml.YAMLError as error:
        told = str(error).splitlines()[0]
        raise RacewayError(file, f"neither NVUE commands nor YAML: {told}", act="fetch it again") from error
    parts = data if isinstance(data, list) else [data]
    found = [part["set"] for part in parts if isinstance(part, Mapping) and "set" in part]
    if not found:
        raise RacewayError(file, "no NVUE commands and no YAML with `set`", "the output of nv config show")
    for part in found:
        _walk(tree, part, ())


def _walk(tree: Tree, data: Any, path: tuple[str, ...]) -> None:
    if isinstance(data, Mapping) and data:
        for key, below in data.items():
            _walk(tree, below, (*path, str(key)))
    elif isinstance(data, list):
        for one in data:
            _walk(tree, one, path)
    else:
        tree.add(path if data in ("", None, {}) else (*path, str(data)))


def _port(tree: Tree, name: str) -> PortConfig:
    own = tree.at("interface", name)

    def profile(kind: str) -> Tree:
        return tree.at("qos", kind, own.value("qos", kind, "profile") or _DEFAULT)

    mapping, pfc = profile("mapping"), profile("pfc")
    stock = own.value("qos", "mapping", "profile") in (None, _DEFAULT)
    dog = switched(own.value("qos", "pfc-watchdog", "state"))
    trust = mapping.value("trust")
    return PortConfig(
        trust=_TRUST.get(trust, trust) if trust else None,
        dscp={**(_STOCK if stock else {}), **_numbered(mapping.at("dscp"), "switch-priority")} or None,
        queue_of=_numbered(tree.at("qos", "egress-queue-mapping", _DEFAULT, "switch-priority"), "traffic-class"),
        pfc=frozenset(int(number) for number in pfc.at("switch-priority") if is_number(number)),
        pfc_ways=_ways(pfc) if pfc else None,
        headroom=dict.fromkeys(range(8), _headroom(pfc)),
        cable=whole(pfc.value("cable-length")),
        queues={number: _queue(profile, str(number)) for number in range(8)},
        watchdog=EVERY if dog == "on" else frozenset(),
        watchdog_ms=_detection(tree.at("qos", "pfc-watchdog")),
        mtu=whole(own.value("link", "mtu")),
    )


def _numbered(node: Tree, word: str) -> dict[int, int]:
    values = {key: whole(below.value(word)) for key, below in node.items()}
    return {int(key): int(value) for key, value in values.items() if is_number(key) and value is not None}


def _ways(pfc: Tree) -> str:
    # Both directions are on unless a profile says otherwise (Cumulus Linux QoS guide).
    ways = [way for way in ("rx", "tx") if switched(pfc.value(way) or "enable") == "on"]
    return " and ".join(ways) or NOTHING


def _headroom(pfc: Tree) -> str:
    own = [f"{word} {pfc.value(word)}" for word in _OWN_BUFFER if word in pfc]
    return ", ".join(own) or (DERIVED if pfc else NOTHING)


def _queue(profile: Any, number: str) -> QueueConfig:
    marking = profile("congestion-control").at("traffic-class", number)
    scheduler = profile("egress-scheduler").at("traffic-class", number)
    mode = scheduler.value("mode")
    limits = {"min": "min-threshold", "max": "max-threshold", "probability": "probability"}
    return QueueConfig(
        ecn=switched(marking.value("ecn")),
        strict={"strict": "on", "dwrr": "off"}.get(mode or ""),
        share=whole(scheduler.value("bw-percent")) if mode == "dwrr" else None,
        wred={f"green.{key}": whole(marking.value(word)) for key, word in limits.items()},
    )


def _detection(dog: Tree) -> str | None:
    poll, polls = whole(dog.value("polling-interval") or _POLL_MS), whole(dog.value("robustness") or _POLLS)
    return str(int(poll) * int(polls)) if poll and polls else None

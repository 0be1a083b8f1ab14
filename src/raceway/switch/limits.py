"""What each platform can do, and the refusal of a declaration that it cannot: nothing is rendered then.

It deliberately refuses rather than bends: a rounded cable length or a clipped threshold would be another declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raceway.errors import RacewayError
from raceway.model import qos as declaration
from raceway.switch.model import COLOURS, Port, Switch, Wred


@dataclass(frozen=True)
class Limits:
    """One platform. ``port``: what names look like; ``priorities``: which can be lossless; ``mtu``: largest, bytes.

    ``watchdog_ms``: shortest and longest; ``wred``: smallest and largest threshold in bytes; ``probability``: percent.
    """

    port: str
    priorities: range
    mtu: int
    watchdog_ms: tuple[int, int]
    wred: tuple[int, int] = (0, 2**32 - 1)
    probability: tuple[int, int] = (0, 100)


LIMITS = {
    # Polling is 100 ms, and up to 1000 polls may pass (NVUE reference, qos pfc-watchdog robustness).
    "cumulus": Limits(r"swp\d+(s\d+)?", range(8), 9216, (100, 100_000)),
    "sonic": Limits(r"Ethernet\d+", range(8), 9216, (100, 5_000)),
    # Seconds from 0.01 to 60 (arista.avd, priority_flow_control), thresholds from 1 byte to 256 MB, never 0 percent.
    "eos": Limits(r"Ethernet\d+(/\d+){0,2}", range(8), 9214, (100, 60_000), (1, 256_000_000), (1, 100)),
    # Class c-8q-nq-default cannot pause, and one interval of 100 ms is multiplied by at most 10.
    "nxos": Limits(r"Ethernet\d+/\d+(/\d+)?", range(1, 8), 9216, (100, 1_000)),
}
# Bytes and percent: what sonic-buildimage ships as AZURE_LOSSLESS (qos_config.j2). On the other platforms it is ours.
STOCK_WRED = {colour: Wred(1_048_576, 2_097_152, 5) for colour in COLOURS}
_WRED_KEYS = {"min": "minimum", "max": "maximum", "probability": "probability", "enabled": "enabled"}
_POLL_MS = 100  # Cumulus and NX-OS count whole intervals


def merge_wred(place: str, stored: Mapping[str, Wred], change: Mapping[str, Any]) -> dict[str, Wred]:
    """Return the thresholds after a change: what it does not name keeps its stored value, then all is judged together.

    ``change``: colour → {min, max, probability, enabled}. A maximum below a stored minimum is as wrong as one below a
    given minimum (sonic-net/sonic-utilities#579).
    """
    if not isinstance(change, Mapping):
        raise RacewayError(place, repr(change), f"a mapping with {', '.join(COLOURS)}", "correct the value")
    merged = dict(stored)
    for colour, row in change.items():
        if colour not in COLOURS:
            raise RacewayError(f"{place}.{colour}", "no colour", ", ".join(COLOURS), "correct the name")
        if not isinstance(row, Mapping) or not set(row) <= set(_WRED_KEYS):
            raise RacewayError(f"{place}.{colour}", str(row), f"a mapping with {', '.join(_WRED_KEYS)}")
        given: dict[str, Any] = {
            _WRED_KEYS[key]: _wred_value(f"{place}.{colour}.{key}", key, value) for key, value in row.items()
        }
        merged[colour] = replace(stored[colour], **given)
    for crossed in _crossed(place, merged):
        raise crossed
    return merged


def _crossed(place: str, wred: Mapping[str, Wred]) -> Iterator[RacewayError]:
    for colour, one in wred.items():
        if one.minimum > one.maximum:
            yield RacewayError(
                f"{place}.{colour}",
                f"min {one.minimum} above max {one.maximum}",
                "min not above max, values that are not given are the stored ones",
                "give both",
            )


def _wred_value(place: str, key: str, value: Any) -> int | bool:
    if key == "enabled":
        if not isinstance(value, bool):
            raise RacewayError(place, repr(value), "true or false")
        return value
    number = whole_number(value)
    highest = 100 if key == "probability" else 2**32 - 1
    if number is None or not 0 <= number <= highest:
        raise RacewayError(place, repr(value), f"a whole number from 0 to {highest}", "correct the value")
    return number


def whole_number(value: Any) -> int | None:
    """Return a whole number, also from text with blanks around it; None for everything else.

    >>> whole_number(" 166912"), whole_number(True), whole_number("1.5")
    (166912, None, None)
    """
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,15}\s*", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def problems(switch: Switch) -> list[RacewayError]:
    """Return every reason why this declaration cannot be rendered for its platform."""
    found = [
        RacewayError(f"{switch.name}: roce_{name}", value, allowed, act)
        for name, value, allowed, act in declaration.problems(switch.qos)
    ]
    # Traffic classes and headroom mean nothing before priorities and cables are right.
    return found or [*_whole_switch(switch), *_thresholds(switch), *_ports(switch)]


def require(switch: Switch) -> None:
    """Raise one RacewayError that tells every problem."""
    found = problems(switch)
    if len(found) == 1:
        raise found[0]
    if found:
        told = "".join(f"\n  {one.message()}" for one in found)
        raise RacewayError(f"{switch.name}: {len(found)} reasons not to render:{told}")


def _whole_switch(switch: Switch) -> Iterator[RacewayError]:
    limits = LIMITS[switch.platform]
    place = f"{switch.name} ({switch.platform})"
    if switch.qos.priority not in limits.priorities:
        allowed = f"{limits.priorities[0]} to {limits.priorities[-1]}"
        yield RacewayError(
            f"{place}: roce_priority", str(switch.qos.priority), allowed, "the default class cannot pause"
        )
    if switch.qos.lossless:
        act = "these files know one lossless priority: configure the switch by hand, or take the list out"
        yield RacewayError(f"{place}: roce_lossless", ", ".join(map(str, switch.qos.lossless)), "none", act)
    if not switch.qos.mtu <= switch.mtu <= limits.mtu:
        act = "a frame of the hosts must fit, and the platform must be able to"
        yield RacewayError(f"{place}: switch_mtu", str(switch.mtu), f"{switch.qos.mtu} to {limits.mtu} bytes", act)
    low, high = limits.watchdog_ms
    if switch.watchdog_ms and (not low <= switch.watchdog_ms <= high or switch.watchdog_ms % _POLL_MS):
        allowed = f"0 for none, or {low} to {high} in steps of {_POLL_MS}"
        yield RacewayError(f"{place}: switch_watchdog_ms", str(switch.watchdog_ms), allowed, "correct the value")
    if not switch.ports:
        yield RacewayError(f"{place}: switch_ports", "empty", "at least one port", "name the ports RoCE passes")


def _thresholds(switch: Switch) -> Iterator[RacewayError]:
    limits = LIMITS[switch.platform]
    yield from _crossed(f"{switch.name}: switch_wred", switch.wred)
    for colour, one in switch.wred.items():
        for key, value, (low, high) in (
            ("min", one.minimum, limits.wred),
            ("max", one.maximum, limits.wred),
            ("probability", one.probability, limits.probability),
        ):
            if not low <= value <= high:
                place = f"{switch.name} ({switch.platform}): switch_wred.{colour}.{key}"
                yield RacewayError(place, str(value), f"{low} to {high}", "correct the value")


def _ports(switch: Switch) -> Iterator[RacewayError]:
    limits = LIMITS[switch.platform]
    seen: set[str] = set()
    for port in switch.ports:
        place = f"{switch.name} {port.name}"
        if not re.fullmatch(limits.port, port.name):
            yield RacewayError(place, "no port name of this platform", limits.port, "write the name the switch has")
        if port.name in seen:
            yield RacewayError(place, "named twice", "each port once", "remove one")
        seen.add(port.name)
        if (port.speed, port.cable_m) not in switch.headroom:
            yield _without_headroom(switch, port, place)


def _without_headroom(switch: Switch, port: Port, place: str) -> RacewayError:
    lengths = sorted(metres for speed, metres in switch.headroom if speed == port.speed)
    longer = [metres for metres in lengths if metres > port.cable_m]
    speeds = sorted({speed for speed, _ in switch.headroom})
    allowed = f"at {port.speed}: {_listed(lengths)} m" if lengths else f"speeds {_listed(speeds)} Mb/s"
    advice = f"declare {longer[0]} m, which covers it, or " if longer else ""
    act = f"{advice}add the row of this switch's own table to switch_headroom"
    found = f"no headroom for the pair ({port.speed} Mb/s, {port.cable_m} m)"
    return RacewayError(place, f"{found} on {switch.platform}", allowed, act)


def _listed(values: list[int]) -> str:
    return ", ".join(map(str, values))

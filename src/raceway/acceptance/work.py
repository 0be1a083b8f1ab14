"""One node's part of a block: for each of its ports whom it meets in each round, and with which tool what is measured.

The one with the smaller number goes to the other; bandwidth is measured in both directions, the caller sends first. It
deliberately gives both ends the same list of measurements: each knows by ``sends`` which end it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from raceway.model.pairwise import BANDWIDTH

from . import schedule
from .model import Port, Rail, Sweep, slots, tool

RAILS = 200  # TCP ports for meeting, one a rail; those for measuring lie behind them


def block(sweep: Sweep, host: str, first: int, end: int, dead: Collection[str] = ()) -> dict[str, Any]:
    """Return the request of one host for the rounds ``first`` to before ``end``; nobody waits for ``dead`` hosts."""
    lanes = []
    longest = 0
    for rail in sweep.rails:
        for number, port in enumerate(rail.ports):
            if port.host != host:
                continue
            matches = _matches(sweep, rail, number, (first, end), dead)
            longest = max(longest, len(matches))
            if matches:
                listen = sweep.settings.port_base + rail.number
                lanes.append({"rail": rail.number, "address": port.address, "listen": listen, "matches": matches})
    patience = sweep.settings.patience_s
    return {
        "step": "measure",
        "run": sweep.run,
        "patience_s": patience,
        # Every partner may be slow, and one of them dead.
        "limit_s": longest * (3 * sweep.round_s + 10) + 2 * patience,
        "lanes": lanes,
    }


def given_up(sweep: Sweep, host: str, first: int, end: int, dead: Collection[str]) -> list[dict[str, Any]]:
    """Return what a host would have answered of the pairs that nobody waits for: whose fault it is must be kept."""
    rows = []
    for rail in sweep.rails:
        for number, port in enumerate(rail.ports):
            for one, other in _meetings(rail, number, (first, end)) if port.host == host else ():
                peer = rail.ports[other]
                for slot in _slots(sweep, port, peer, number < other) if peer.host in dead else ():
                    kept = {key: slot[key] for key in ("measure", "tool", "sends")}
                    problem = f"{peer.host} could not be reached any more"
                    rows.append({"rail": rail.number, "round": one, **kept, "value": None, "problem": problem})
    return rows


def _matches(
    sweep: Sweep, rail: Rail, number: int, rounds: tuple[int, int], dead: Collection[str]
) -> list[dict[str, Any]]:
    rows = []
    for one, other in _meetings(rail, number, rounds):
        if rail.ports[other].host in dead:
            continue
        found = _slots(sweep, rail.ports[number], rail.ports[other], number < other)
        if found:
            rows.append({"round": one, "peer": rail.ports[other].address, "call": number < other, "slots": found})
    return rows


def _meetings(rail: Rail, number: int, rounds: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the rounds of a rail that lie in a block, each with the partner of one of its ports."""
    for one in range(max(rounds[0] - rail.offset, 0), min(rounds[1] - rail.offset, rail.rounds)):
        other = schedule.partner(len(rail.ports), one, number)
        if other is not None:
            yield one, other


def _slots(sweep: Sweep, own: Port, peer: Port, calls: bool) -> list[dict[str, Any]]:
    settings, rows, seen = sweep.settings, [], set()
    for number, (wanted, _) in enumerate(slots(settings)):
        measure, program = tool(settings, wanted, own, peer)
        # Where perftest is absent one message there and back shows the path, whatever was to be measured.
        if not program or (measure != wanted and measure in seen):
            continue
        again = measure == BANDWIDTH and measure in seen
        seen.add(measure)
        rows.append(
            {
                "measure": measure,
                "tool": program,
                "sends": calls is not again,
                "seconds": settings.seconds,
                "message_bytes": settings.message_bytes,
                "queue_pairs": settings.queue_pairs,
                "device": own.device,
                "ib_port": own.ib_port,
                "gid_index": own.gid_index,
                # A port for each measurement: what the one before has just closed cannot be met by mistake.
                "port": settings.port_base + RAILS + 4 * own.rail + number,
                "traffic_class": settings.traffic_class,
            }
        )
    return rows

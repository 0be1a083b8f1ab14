"""The supervisor's decisions: what to start, stop or wait for, from what it sees.

Pure: time and observations are handed in, so each rule is tested with a made-up process table. It deliberately never
takes "could not ask" for "is not there": an API that does not answer stops nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .programs import CRDS, Program, admission_paths

FIRST_BACKOFF, LAST_BACKOFF, CALM_SECONDS = 0.5, 30.0, 60.0
# Configurations arrive one after the other; the webhook manager is started when no new one has come for this long.
SETTLE_SECONDS = 1.0


@dataclass(frozen=True)
class Seen:
    """What the supervisor sees in one round. None: could not be asked."""

    now: float
    running: frozenset[str]
    healthy: frozenset[str]
    crds: frozenset[str] | None = None
    webhooks: frozenset[str] | None = None


@dataclass(frozen=True)
class Memory:
    """What it remembers of one program between rounds."""

    started_at: float | None = None
    restarts: int = 0
    backoff: float = 0.0
    not_before: float = 0.0
    # Admission paths it was started with, and since when the wanted ones are the same.
    admission: str = ""
    wanted: str = ""
    wanted_since: float = 0.0


@dataclass(frozen=True)
class Decision:
    """What to do with one program, and the reason as a person reads it."""

    act: Literal["start", "stop", "restart", "keep", "wait"]
    reason: str = ""


def decide(program: Program, memory: Memory, seen: Seen) -> tuple[Decision, Memory]:
    """Decide about one program; the memory already knows of a crash this round."""
    running = program.name in seen.running
    if not running and memory.started_at is not None:
        memory = crashed(memory, seen.now)
    memory = _watch(program, memory, seen)
    gone = _prerequisites(program, seen)
    if gone and running:
        return Decision("stop", gone), memory
    if running:
        return _keep(program, memory, seen), memory
    for need in program.needs:
        if need not in seen.healthy:
            return Decision("wait", f"waiting for {need}"), memory
    if gone or (gone := _unknown(program, seen)):
        return Decision("wait", gone), memory
    if program.webhooks and seen.now - memory.wanted_since < SETTLE_SECONDS:
        return Decision("wait", "waiting for webhook configurations to settle"), memory
    if seen.now < memory.not_before:
        return Decision(
            "wait", f"crashed {memory.restarts} times, starts again in {memory.not_before - seen.now:.0f} s"
        ), memory
    return Decision("start"), memory


def crashed(memory: Memory, now: float) -> Memory:
    """The program ended by itself: start again later each time, at once after a calm run."""
    assert memory.started_at is not None
    calm = now - memory.started_at >= CALM_SECONDS
    backoff = FIRST_BACKOFF if calm or not memory.backoff else min(memory.backoff * 2, LAST_BACKOFF)
    return replace(memory, started_at=None, restarts=memory.restarts + 1, backoff=backoff, not_before=now + backoff)


def started(memory: Memory, now: float) -> Memory:
    """The program was started."""
    return replace(memory, started_at=now, admission=memory.wanted)


def stopped(memory: Memory) -> Memory:
    """The program was stopped on purpose: that is no crash."""
    return replace(memory, started_at=None, backoff=0.0, not_before=0.0, admission="")


def _watch(program: Program, memory: Memory, seen: Seen) -> Memory:
    if not program.webhooks or seen.webhooks is None:
        return memory
    wanted = admission_paths(sorted(seen.webhooks))
    return memory if wanted == memory.wanted else replace(memory, wanted=wanted, wanted_since=seen.now)


def _prerequisites(program: Program, seen: Seen) -> str:
    if program.crds and seen.crds is not None:
        missing = [name for name in CRDS if name not in seen.crds]
        if missing:
            many = f"{len(missing)} of {len(CRDS)}: {missing[0]}, …" if len(missing) > 1 else missing[0]
            return f"waiting for CRDs ({many})"
    if program.webhooks and seen.webhooks is not None and not admission_paths(sorted(seen.webhooks)):
        return "waiting for webhook configurations (volcano-admission-service-*)"
    return ""


def _unknown(program: Program, seen: Seen) -> str:
    unknown = (program.crds and seen.crds is None) or (program.webhooks and seen.webhooks is None)
    return "waiting for an answer of the API" if unknown else ""


def _keep(program: Program, memory: Memory, seen: Seen) -> Decision:
    if not program.webhooks:
        return Decision("keep")
    # Paths that went away are still served: a restart in the middle of a teardown would refuse its deletions.
    new = set(memory.wanted.split(",")) - set(memory.admission.split(",")) - {""}
    if new and seen.now - memory.wanted_since >= SETTLE_SECONDS:
        return Decision("restart", f"new webhook configurations: {', '.join(sorted(new))}")
    return Decision("keep")


def order_of_stopping(names: Sequence[str], programs: Mapping[str, Program]) -> list[list[str]]:
    """Groups to stop one after the other: whoever needs another stops before it."""
    left, groups = set(names), []
    while left:
        leaves = [name for name in left if not any(name in programs[other].needs for other in left)]
        groups.append(sorted(leaves))
        left -= set(leaves)
    return groups

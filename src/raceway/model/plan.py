"""A plan is data: what would be done to a node, what need not be, what will not be, and what waits for a reboot.

Every step says *what, why, risk, undo*; every noop and every refusal says its reason. Plans are JSON in
both directions, so that what check mode prints and what a report carries is one form.

It deliberately does not know how a step is carried out: handlers in ``apply/`` are chosen by ``Step.type``. And a
step's ``args`` never become JSON: they are the handler's, may hold a secret file's content, and stay on the node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Union

SAFE = "safe"  # invisible to what runs on the node
DISRUPTIVE = "disruptive"  # running work may notice: a qdisc is replaced, a unit restarted
DESTRUCTIVE = "destructive"  # data can be lost
RISKS = (SAFE, DISRUPTIVE, DESTRUCTIVE)


@dataclass(frozen=True)
class Step:
    """One change. ``type`` picks the handler, ``target`` names the thing, ``args`` is the handler's input.

    ``before``/``after`` are short printable values for the diff; ``undo`` is what would take it back, in words.
    """

    type: str
    target: str
    what: str
    why: str
    risk: str = SAFE
    undo: str = ""
    before: str = ""
    after: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.risk not in RISKS:
            raise ValueError(f"step {self.what}: risk {self.risk!r} is none of {', '.join(RISKS)}")
        if not (self.what and self.why and self.undo):
            raise ValueError(f"step {self.type} {self.target}: what, why and undo must all be told")


@dataclass(frozen=True)
class Noop:
    """Something declared that needs no act, with the reason (already so, or not this machine's business)."""

    target: str
    reason: str

    def __post_init__(self) -> None:
        if not self.reason:
            raise ValueError(f"noop {self.target}: a noop must be explained")


@dataclass(frozen=True)
class Refusal:
    """Something declared that raceway will not do. ``act`` tells what makes it possible or right."""

    target: str
    reason: str
    act: str

    def __post_init__(self) -> None:
        if not (self.reason and self.act):
            raise ValueError(f"refusal {self.target}: reason and next act must be told")


@dataclass(frozen=True)
class Reboot:
    """A declared state that only a reboot brings into force."""

    target: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """Everything one noun (or one role, or one node) would do, in order."""

    steps: Tuple[Step, ...] = ()
    noops: Tuple[Noop, ...] = ()
    refusals: Tuple[Refusal, ...] = ()
    reboots: Tuple[Reboot, ...] = ()

    @property
    def empty(self) -> bool:
        """True when there is nothing to do and nothing refused: what verify must find."""
        return not self.steps and not self.refusals


def join(plans: Iterable[Plan]) -> Plan:
    """Return one plan holding the parts of all, in the given order."""
    steps: List[Step] = []
    noops: List[Noop] = []
    refusals: List[Refusal] = []
    reboots: List[Reboot] = []
    for one in plans:
        steps.extend(one.steps)
        noops.extend(one.noops)
        refusals.extend(one.refusals)
        reboots.extend(one.reboots)
    return Plan(tuple(steps), tuple(noops), tuple(refusals), tuple(reboots))


def sort(outcomes: Iterable[Union[Step, Noop, Refusal, Reboot]]) -> Plan:
    """Return a plan of single outcomes, each kind in the given order."""
    rows = list(outcomes)
    return Plan(
        tuple(row for row in rows if isinstance(row, Step)),
        tuple(row for row in rows if isinstance(row, Noop)),
        tuple(row for row in rows if isinstance(row, Refusal)),
        tuple(row for row in rows if isinstance(row, Reboot)),
    )


def gate(plan: Plan, allow: Iterable[str], role: str) -> Plan:
    """Return the plan with steps of a risk outside ``allow`` turned into refusals that name the consent variable.

    >>> gate(Plan(steps=(Step("qdisc", "eth0", "w", "y", DISRUPTIVE, "u"),)), (SAFE,), "kernel").refusals[0].act
    'set kernel_allow_disruptive: true to consent'
    """
    allowed = set(allow)
    kept: List[Step] = []
    refused: List[Refusal] = list(plan.refusals)
    for step in plan.steps:
        if step.risk in allowed:
            kept.append(step)
            continue
        refused.append(
            Refusal(
                target=step.target,
                reason=f"{step.what} is {step.risk} ({step.why})",
                act=f"set {role}_allow_{step.risk}: true to consent",
            )
        )
    return Plan(tuple(kept), plan.noops, tuple(refused), plan.reboots)


def to_json(plan: Plan, explain: bool = True) -> Dict[str, Any]:
    """Return plain data; ``explain=False`` gives the count of noops instead of each (the wire form of a no-op run)."""
    noops: Any = [{"target": n.target, "reason": n.reason} for n in plan.noops] if explain else len(plan.noops)
    return {
        "steps": [_step_json(s) for s in plan.steps],
        "noops": noops,
        "refusals": [{"target": r.target, "reason": r.reason, "act": r.act} for r in plan.refusals],
        "reboots": [{"target": r.target, "reason": r.reason} for r in plan.reboots],
    }


def _step_json(step: Step) -> Dict[str, Any]:
    names = ("type", "target", "what", "why", "risk", "undo", "before", "after")
    return {name: getattr(step, name) for name in names}


def from_json(data: Mapping[str, Any]) -> Plan:
    """Return the plan that ``to_json(plan)`` came from, without its args (noops must have been explained)."""
    return Plan(
        tuple(Step(**row) for row in data["steps"]),
        tuple(Noop(**row) for row in data["noops"]),
        tuple(Refusal(**row) for row in data["refusals"]),
        tuple(Reboot(**row) for row in data["reboots"]),
    )

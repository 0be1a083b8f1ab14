"""Answers one request: plan, apply or verify everything the controller declared for this node, in one go.

Request (JSON)::

    {"mode": "plan"|"apply"|"verify", "explain": false,
     "roles": {"kernel": {"allow": ["safe"], "nouns": {"sysctl": {…}}}},
     "secrets": {"kube_cluster": {…}}}

``secrets`` reach handlers of an apply and nobody else: no plan, answer or file that stays holds any of them.
Answer (JSON): per role its plan, what was applied, what was refused while applying, and what is left after a second
reading. Planning sees everything before the first change, so check mode predicts exactly what apply then does.
It deliberately never stops at the first refusal: other things go on, and the refusal is told.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..apply.outcome import Applying, Refused
from ..errors import RacewayError
from ..host import Host, Ledger
from ..model.plan import Plan, Refusal, Step, gate, join, to_json
from ..plan.dropin import BOOK
from .registry import ORDER, VERIFY_ONLY, Noun, noun, shared_handlers

LOCK = "/run/raceway.lock"
LOCK_WAIT_S = 120  # longer than any one apply of the foundation's nouns; a stuck holder is told, not waited for
MODES = ("plan", "apply", "verify")
Planned = List[Tuple[str, Noun, Plan]]


def run(request: Mapping[str, Any], host: Optional[Host] = None) -> Dict[str, Any]:
    """Carry out one request and return the answer; RacewayError for a request that makes no sense."""
    mode = request.get("mode")
    if mode not in MODES:
        raise RacewayError("node request", f"mode {mode!r}", ", ".join(MODES))
    machine = host or Host()
    if mode != "apply":
        return _answer(request, survey(request, machine), [], [])
    with _alone(machine):
        planned = survey(request, machine)
        applied, refused = _apply(planned, machine, request.get("secrets") or {})
        left = survey(request, machine) if applied or refused else []
        return _answer(request, planned, applied, refused, left)


def survey(request: Mapping[str, Any], host: Host) -> Planned:
    """Probe and plan every noun of every role; nothing is changed."""
    ledger = Ledger(host)
    rows: Planned = []
    for role, body in request["roles"].items():
        for name in sorted(body["nouns"], key=ORDER.index):
            if name in VERIFY_ONLY and request["mode"] != "verify":
                continue
            stages = noun(name)
            desired = stages.parse(body["nouns"][name])
            plan = stages.plan(desired, stages.probe(host, desired, ledger))
            rows.append((role, stages, gate(plan, body["allow"], role)))
    return rows


def _apply(
    planned: Planned, host: Host, secrets: Mapping[str, Any]
) -> Tuple[List[Dict[str, str]], List[Tuple[str, Refusal]]]:
    run_ = Applying(host, Ledger(host), secrets)
    applied: List[Dict[str, str]] = []
    refused: List[Tuple[str, Refusal]] = []
    for role, stages, plan in planned:
        whole = _prepare(run_, stages, plan.steps)
        halted: Dict[str, str] = {}
        for step in plan.steps:
            why_not = whole or halted.get(step.target) or _carry_out(run_, stages, step)
            if not why_not:
                applied.append({"role": role, "type": step.type, "target": step.target, "what": step.what})
                continue
            refused.append((role, Refusal(step.target, f"{step.what}: {why_not}", "mend the cause and run again")))
            halted.setdefault(step.target, f"not done, because `{step.what}` was refused")
            if step.args.get("book") == BOOK:
                # A live value without its file would be gone after the next boot: half a state is none.
                whole = f"not done, because {step.target} was refused"
    try:
        run_.settle()
    except Refused as error:
        refused.append((planned[-1][0], Refusal("systemd", str(error), "read `systemctl status` and run again")))
    return applied, refused


def _prepare(run_: Applying, stages: Noun, steps: Sequence[Step]) -> str:
    """Record the originals. Where that fails nothing may change: a state that cannot be given back is not taken."""
    if not steps or stages.prepare is None:
        return ""
    try:
        stages.prepare(run_, steps)
    except OSError as error:
        return f"what was there before cannot be recorded ({error.strerror}), so it stays untouched"
    return ""


def _carry_out(run_: Applying, stages: Noun, step: Step) -> str:
    """Run one step's handler; return the reason where it was refused, else the empty string."""
    handler = stages.handlers.get(step.type) or shared_handlers()[step.type]
    try:
        handler(run_, step)
    except Refused as error:
        return str(error)
    except OSError as error:
        return f"{error.strerror or error} ({error.filename or step.target})"
    return ""


def _answer(
    request: Mapping[str, Any],
    planned: Planned,
    applied: List[Dict[str, str]],
    refused: List[Tuple[str, Refusal]],
    left: Sequence[Tuple[str, Noun, Plan]] = (),
) -> Dict[str, Any]:
    explain = bool(request.get("explain"))
    roles = {role: to_json(_role_plan(role, planned), explain) for role in request["roles"]}
    known = {(role, r.target) for role, r in refused} | {(role, r.target) for role, _, p in planned for r in p.refusals}
    remaining = [
        {"role": role, "target": s.target, "what": s.what}
        for role, _, plan in left
        for s in plan.steps
        if (role, s.target) not in known
    ]
    late = [
        {"role": role, "target": r.target, "reason": r.reason, "act": r.act}
        for role, plan in [(role, plan) for role, _, plan in left]
        for r in plan.refusals
        if (role, r.target) not in known
    ]
    told = [{"role": role, "target": r.target, "reason": r.reason, "act": r.act} for role, r in refused]
    # A reason seen before apply still stands after it: raceway never reboots, and what it forgot may need one.
    reboots = list({tuple(row.items()): row for row in _role_reboots([*planned, *left])}.values())
    return {"roles": roles, "applied": applied, "refused": told + late, "remaining": remaining, "reboots": reboots}


def _role_plan(role: str, planned: Sequence[Tuple[str, Noun, Plan]]) -> Plan:
    return join(plan for name, _, plan in planned if name == role)


def _role_reboots(planned: Sequence[Tuple[str, Noun, Plan]]) -> List[Dict[str, str]]:
    return [{"role": role, "target": b.target, "reason": b.reason} for role, _, p in planned for b in p.reboots]


@contextmanager
def _alone(host: Host) -> Iterator[None]:
    """Hold the node's lock: two runs must not write the same files. Freed by the kernel when the process dies."""
    path = host.path(LOCK)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+", encoding="utf-8") as handle:
        deadline = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RacewayError(
                        LOCK, "another raceway run holds this node", act="wait for it to end and run again"
                    ) from None
                time.sleep(0.2)
        yield

"""Plans a service that a noun owns: enabled at boot, up with what its files say now, and given back as it was found.

It deliberately never restarts what has no new content: a noun says what changed, and that is the reason told.
"""

from __future__ import annotations

from typing import List, Union

from ..facts.kube_service import ServiceFacts
from ..model.plan import SAFE, Noop, Step

ENABLED = ("enabled", "alias")
NOT_THERE = "not there"
Outcome = Union[Step, Noop]


def enable(unit: str, facts: ServiceFacts, why: str) -> Outcome:
    """Return what makes a service come up at boot."""
    is_now = facts.state.file_state
    if is_now in ENABLED:
        return Noop(unit, "is enabled")
    before = is_now or NOT_THERE
    return Step("kube_enable", unit, f"enable {unit} at boot", why, SAFE, "disable it", before, "enabled")


def up(unit: str, facts: ServiceFacts, changed: str, risk: str, platform: str) -> Outcome:
    """Return what brings a service up with its content; ``changed``: what is new, empty for nothing."""
    state = facts.state
    if not changed and facts.owed(unit):
        changed = "it still runs with the content from before a change"
    if state.running and not changed:
        return Noop(unit, "runs with what is declared")
    if not state.running and state.skipped and platform == "container" and not changed:
        return Noop(unit, "its own conditions keep it from running here")
    verb = "restart" if state.running else "start"
    before = f"{state.active} with former content" if state.running else state.active
    why = changed or "declared for this node"
    undo = "declare the former content" if state.running else "stop it"
    return Step("kube_up", unit, f"{verb} {unit}", why, risk, undo, before, "active with what is declared")


def give_back(unit: str, facts: ServiceFacts, files_change: bool, goes: bool, risk: str) -> List[Step]:
    """Return what makes a service what it was before raceway.

    ``goes``: it ends with our files, which are its unit or all it lives from. Another service whose package came with
    raceway stays as the package made it, like the package itself.
    """
    state, why, undo = facts.state, "it is no longer declared", "declare it again"
    enabled, active = facts.enabled.get(unit, NOT_THERE), facts.active.get(unit, "active")
    stays = enabled == NOT_THERE or active in ("active", "reloading", "activating")
    rows: List[Step] = []
    if state.running and (goes or not stays):
        rows.append(Step("kube_stop", unit, f"stop {unit}", why, risk, undo, state.active, "inactive"))
    elif state.running and files_change:
        what, before = f"restart {unit} as it was", f"{state.active} with our content"
        rows.append(Step("kube_up", unit, what, why, risk, undo, before, "active as it was", {"forget": True}))
    if state.file_state in ENABLED and (goes or enabled not in (*ENABLED, NOT_THERE)):
        what = f"disable {unit} at boot"
        rows.append(Step("kube_disable", unit, what, why, SAFE, undo, state.file_state, enabled, {"forget": True}))
    if unit in facts.enabled or unit in facts.active or unit in facts.pending:
        rows.append(Step("kube_forget", unit, f"forget what {unit} was before raceway", why, SAFE, "nothing to undo"))
    return rows

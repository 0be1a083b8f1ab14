"""Plans how units that are no longer declared get back what they were: running or not, enabled or not, their file.

All steps of one unit carry one risk: where it has to be stopped or restarted, nothing of it changes without consent.
"""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from ..facts.unit import UnitFacts
from ..model.plan import DISRUPTIVE, SAFE, Plan, Step
from ..model.unit import UNIT_FOLDER, UnitDesired

ENABLED_BOOK, ACTIVE_BOOK, FILE_BOOK, PENDING_BOOK = "unit_enabled", "unit_active", "unit_file", "unit_pending"
WHY = "it is no longer declared, the node gets back what raceway found"
UNDO = "declare it again"
_UP = ("active", "activating", "reloading")
_ON = ("enabled", "enabled-runtime", "alias", "linked", "linked-runtime")


def give_up(desired: UnitDesired, facts: UnitFacts) -> Plan:
    """Return the steps for every attribute that the ledger holds and no declaration names."""
    enabled = {unit.name for unit in desired.units if unit.enabled is not None}
    state = {unit.name for unit in desired.units if unit.state}
    content = {unit.name for unit in desired.units if unit.content}
    files = {path[len(UNIT_FOLDER) :]: row for path, row in facts.owned_files.items()}
    names = set(facts.owned_active) - state | set(facts.owned_enabled) - enabled | set(files) - content
    # A restart that was owed and a unit given up altogether: the note must not outlive the declaration.
    names |= set(facts.pending) - content - state
    steps: List[Step] = []
    for name in sorted(names):
        active = facts.owned_active.get(name) if name not in state else None
        boot = facts.owned_enabled.get(name) if name not in enabled else None
        file = files.get(name) if name not in content else None
        steps += _unit(name, active, boot, file, facts)
    return Plan(tuple(steps))


def _unit(
    name: str, active: Optional[str], boot: Optional[str], file: Optional[Mapping[str, Any]], facts: UnitFacts
) -> List[Step]:
    """Order: stop and disable while the unit's file is there, then the file, then enable, start or restart."""
    now = facts.state(name)
    stop = active is not None and active not in _UP and now.running
    start = active is not None and active in _UP and not now.running
    disable = boot is not None and boot not in _ON and now.file_state in _ON
    enable = boot is not None and boot in _ON and now.file_state not in _ON
    vendor = facts.file(name).vendor
    if file is not None and now.running and not stop:
        # A unit that only our file defines would run on with nobody able to stop it by name.
        restart = file.get("content") is not None or vendor
        stop = not restart
    else:
        restart = False
    risk = DISRUPTIVE if stop or restart else SAFE
    as_found = [
        *([ACTIVE_BOOK] if active is not None and not stop and not start else []),
        *([ENABLED_BOOK] if boot is not None and not disable and not enable else []),
        *([PENDING_BOOK] if name in facts.pending and now.invocation != facts.pending[name] else []),
    ]
    # A failed unit whose file goes away stays listed as failed until that is reset.
    ghost = file is not None and file.get("content") is None and not vendor and now.active == "failed"
    kept = [ACTIVE_BOOK] if active is not None else []
    rows = [
        _step("stop", name, risk, now.active, "inactive", kept) if stop else None,
        _step("disable", name, risk, now.file_state, "disabled", [ENABLED_BOOK]) if disable else None,
        _file(name, file, risk) if file is not None else None,
        _step("enable", name, risk, now.file_state, "enabled", [ENABLED_BOOK]) if enable else None,
        _step("start", name, risk, now.active, "active", kept) if start else None,
        _step("restart", name, risk, now.active, "active", []) if restart else None,
        _forget(name, as_found, ghost, risk) if as_found or ghost else None,
    ]
    return [row for row in rows if row]


def _file(name: str, file: Mapping[str, Any], risk: str) -> Step:
    path, was = UNIT_FOLDER + name, file.get("content")
    what = f"remove {path}" if was is None else f"give {path} back what stood there before raceway"
    args = {"path": path, "book": FILE_BOOK}
    return Step("file_restore", name, what, WHY, risk, UNDO, "the declared content", was or "", args)


def _step(verb: str, name: str, risk: str, before: str, after: str, forget: List[str]) -> Step:
    """Return the step of one verb; its handler drops ``forget`` from the ledger once it has succeeded."""
    args = {"name": name, "before": before, "forget": forget}
    at_boot = " at boot" if verb in ("enable", "disable") else ""
    return Step(f"unit_{verb}", name, f"{verb} {name}{at_boot}", WHY, risk, UNDO, before, after, args)


def _forget(name: str, books: List[str], ghost: bool, risk: str) -> Step:
    what = f"forget that {name} failed" if ghost else f"forget what {name} was: it is so again"
    return Step("unit_forget", name, what, WHY, risk, UNDO, args={"name": name, "forget": books, "failed": ghost})

"""Plans systemd units: the unit's file, then whether it comes up at boot, then whether it runs now.

A changed file of a running unit and the restart that brings it into force are planned together and carry the same
risk, so that without consent neither happens. It deliberately never unmasks: a mask is a person's decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional

from ..facts.unit import UnitFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step
from ..model.unit import STARTED, STATES, STOPPED, Unit, UnitDesired, bad_name, install_section, setting
from .unit_given_up import give_up

FILE_BOOK = "unit_file"
ENABLED = ("enabled", "alias")
# States of a unit that has nothing to enable: each with what `systemctl enable` would need.
NOT_ENABLEABLE = {
    "static": "it has no [Install] section: other units pull it in",
    "generated": "it is generated at boot from another file",
    "transient": "it was made at run time and has no file",
    "indirect": "its [Install] section only names other units (Also=): enable those",
}
UNDO = {
    "enable": "disable it",
    "disable": "enable it",
    "reenable": "declare the former [Install] section",
    "start": "stop it",
    "stop": "start it",
    "restart": "declare the former content",
}


@dataclass
class _Rows:
    """What has been decided so far; the order of the four lists is the order of work over all units."""

    files: List[Step] = field(default_factory=list)
    reloads: List[Step] = field(default_factory=list)
    boots: List[Step] = field(default_factory=list)
    states: List[Step] = field(default_factory=list)
    noops: List[Noop] = field(default_factory=list)
    refusals: List[Refusal] = field(default_factory=list)

    def steps(self) -> List[Step]:
        return [*self.files, *self.reloads, *self.boots, *self.states]


def plan(desired: UnitDesired, facts: UnitFacts) -> Plan:
    """Return what makes the declared units so, and gives back those no longer declared."""
    rows = _Rows()
    for unit in desired.units:
        refusal = _impossible(unit, facts)
        if refusal:
            rows.refusals.append(refusal)
            continue
        before = len(rows.steps())
        told = [_content(unit, facts, rows), _boot(unit, facts, rows), _now(unit, desired.platform, facts, rows)]
        if len(rows.steps()) == before:
            rows.noops.append(Noop(unit.name, ", ".join(text for text in told if text) or "nothing of it is declared"))
    back = give_up(desired, facts)
    return Plan((*back.steps, *rows.steps()), (*rows.noops, *back.noops), (*rows.refusals, *back.refusals))


def _impossible(unit: Unit, facts: UnitFacts) -> Optional[Refusal]:
    problem = bad_name(unit.name)
    if problem:
        return Refusal(unit.name, problem, "write the full name, as in chrony.service")
    if unit.state not in STATES:
        return Refusal(unit.name, f"state {unit.state!r} is none", f"declare {STARTED}, {STOPPED} or leave it out")
    if unit.template and (unit.enabled is not None or unit.state):
        act = f"declare an instance, as in {unit.name.replace('@.', '@name.')}"
        return Refusal(unit.name, "it is a template, which cannot be enabled or run by itself", act)
    if facts.problem and not unit.template:
        return Refusal(unit.name, f"systemd does not answer: {facts.problem}", "run this where systemd is process 1")
    return _masked(unit, facts) or (_bad_content(unit, facts) if unit.content else _bad_unit(unit, facts))


def _masked(unit: Unit, facts: UnitFacts) -> Optional[Refusal]:
    if not facts.state(unit.name).file_state.startswith("masked") and facts.file(unit.name).link != "/dev/null":
        return None
    if not (unit.enabled or unit.state == STARTED or unit.content):
        return None
    act = f"systemctl unmask {unit.name}, or leave it out of the declaration"
    return Refusal(unit.name, "it is masked, which somebody decided on this node", act)


def _bad_content(unit: Unit, facts: UnitFacts) -> Optional[Refusal]:
    link = facts.file(unit.name).link
    if link is not None:
        return Refusal(unit.name, f"{unit.path} is a link to {link}", "remove the link, or declare no content")
    if unit.enabled and not install_section(unit.content):
        return Refusal(unit.name, "its content has no [Install] section", "add one with WantedBy=, or drop enabled")
    kind, remains = setting(unit.content, "Service", "Type"), setting(unit.content, "Service", "RemainAfterExit")
    return _oneshot(unit, kind == "oneshot" and remains.lower() not in ("yes", "true", "on", "1"))


def _bad_unit(unit: Unit, facts: UnitFacts) -> Optional[Refusal]:
    state = facts.state(unit.name)
    wanted = unit.enabled or unit.state == STARTED
    if state.load == "not-found" and wanted and not facts.missing_packages:
        return Refusal(unit.name, "there is no such unit", "check the name, or declare the package that brings it")
    if state.load in ("error", "bad-setting") and wanted:
        return Refusal(unit.name, f"systemd cannot load it ({state.load})", f"see systemd-analyze verify {unit.name}")
    if unit.enabled and state.file_state in NOT_ENABLEABLE:
        reason = f"it cannot be enabled: {NOT_ENABLEABLE[state.file_state]}"
        return Refusal(unit.name, reason, "leave enabled out of its declaration")
    return _oneshot(unit, state.type == "oneshot" and not state.remains)


def _oneshot(unit: Unit, ends: bool) -> Optional[Refusal]:
    if not ends or unit.state != STARTED:
        return None
    reason = "it runs once and ends (Type=oneshot without RemainAfterExit=yes), so it can never be found started"
    return Refusal(unit.name, reason, "declare it enabled only, or give it RemainAfterExit=yes")


def _why(unit: Unit) -> str:
    return unit.why or "declared for this node"


def _content(unit: Unit, facts: UnitFacts, rows: _Rows) -> str:
    """Plan the unit's file, or the reload that a file changed by hand still needs; return the reason of a noop."""
    state, found = facts.state(unit.name), facts.file(unit.name).content
    if unit.content and found != unit.content:
        risk = DISRUPTIVE if unit.state == STARTED and state.running else SAFE
        undo = "what stood there before comes back" if found is not None else "the file goes away"
        args = {"path": unit.path, "content": unit.content, "mode": 0o644, "owner": "root", "group": "root"}
        args.update(book=FILE_BOOK, name=unit.name, invocation=state.invocation if state.running else "")
        why = _why(unit)
        if state.running and not unit.state:
            why += "; it keeps running with the former content, since no state is declared"
        rows.files.append(
            Step("unit_file", unit.name, f"write {unit.path}", why, risk, undo, found or "", unit.content, args)
        )
    elif state.need_reload:
        why = "its files changed since systemd read them"
        what, args = f"let systemd read {unit.name} anew", {"name": unit.name}
        rows.reloads.append(Step("unit_reload", unit.name, what, why, SAFE, "nothing to undo", args=args))
    return "content as declared" if unit.content else ""


def _boot(unit: Unit, facts: UnitFacts, rows: _Rows) -> str:
    if unit.enabled is None:
        return ""
    is_now = facts.state(unit.name).file_state
    if unit.enabled and is_now in ENABLED:
        found = facts.file(unit.name).content
        if unit.content and found is not None and install_section(found) != install_section(unit.content):
            why = "its [Install] section changes"
            rows.boots.append(_verb("reenable", unit, "enable {} anew", why, is_now, "enabled"))
        return "enabled"
    if unit.enabled:
        rows.boots.append(_verb("enable", unit, "enable {} at boot", _why(unit), is_now or "not there", "enabled"))
    elif is_now.startswith(("enabled", "linked")) or is_now == "alias":
        rows.boots.append(_verb("disable", unit, "disable {} at boot", _why(unit), is_now, "disabled"))
    return f"not enabled ({is_now or 'no such unit'})"


def _now(unit: Unit, platform: str, facts: UnitFacts, rows: _Rows) -> str:
    state = facts.state(unit.name)
    if unit.state == STOPPED:
        if state.running or state.active == "activating":
            rows.states.append(_verb("stop", unit, "stop {}", _why(unit), state.active, "inactive", DISRUPTIVE))
        return f"not running ({state.active})"
    if unit.state != STARTED:
        return ""
    changed = bool(unit.content) and facts.file(unit.name).content != unit.content
    if state.running and (changed or _owed(unit.name, facts)):
        why = "it runs with the content from before the change"
        rows.states.append(_verb("restart", unit, "restart {}", why, state.active, "active", DISRUPTIVE))
    elif not state.running and state.skipped and platform == "container" and not changed:
        return "its own conditions keep it from running in a container"
    elif not state.running:
        may_skip = platform == "container"
        rows.states.append(_verb("start", unit, "start {}", _why(unit), state.active, "active", may_skip=may_skip))
    return "running"


def _owed(name: str, facts: UnitFacts) -> bool:
    """Tell whether a restart is still owed: the run that the ledger remembers is the one that goes on."""
    return bool(facts.pending.get(name)) and facts.pending[name] == facts.state(name).invocation


def _verb(
    verb: str, unit: Unit, what: str, why: str, before: str, after: str, risk: str = SAFE, may_skip: bool = False
) -> Step:
    args = {"name": unit.name, "before": before, "may_skip": may_skip}
    return Step(f"unit_{verb}", unit.name, what.format(unit.name), why, risk, UNDO[verb], before, after, args)

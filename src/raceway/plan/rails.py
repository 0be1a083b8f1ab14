"""Plans the rails of a node: all of a rail or nothing of it, in files that last and in what the kernel has now.

What was set up for rails that are declared no more is taken down first, so that its ports, addresses and tables are
free for those that are. It deliberately says nothing about a port's speed or MTU: the roce role has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Set, Union

from ..facts.rails import RailsFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.rails import Rail, RailsDesired
from .dropin import plan_file
from .rails_files import declared_in, files, rail_of
from .rails_goal import Goal, Lack, goal, interface_of, lacks, leftovers, must_remake, told
from .rails_refusals import refusal

_Outcome = Union[Step, Noop, Refusal]
ELSEWHERE = "a container's interfaces belong to who made the container"
WHY_FILE = "rails must come back at every boot, driver reload and link flap"
WHY_LIVE = "packets of a rail's address leave by that rail, and no other port answers for it"
WHY_GONE = "the rail is no longer declared, its port gets back what raceway found"
UNDO = "take the rail out of rails_ports or rails_bonds"


def plan(desired: RailsDesired, facts: RailsFacts) -> Plan:
    """Return what makes every declared rail as declared, and takes down what no longer is."""
    if desired.platform == "container":
        return Plan(noops=tuple(Noop(rail.label, ELSEWHERE) for rail in desired.rails))
    refused: List[Refusal] = []
    good: List[Rail] = []
    for rail in desired.rails:
        why_not = refusal(rail, desired, facts)
        if why_not:
            refused.append(why_not)
        else:
            good.append(rail)
    wanted = {rail.rail: files(rail, desired, facts) for rail in good}
    untouched = {rail.rail for rail in desired.rails} - set(wanted)
    old, rules = _before(facts, wanted, untouched), [rule for rail in good for rule in goal(rail, desired).rules]
    gone = _gone(desired, facts, untouched, wanted, replace(Goal(), rules=tuple(rules)), old)
    rows = [_rail(rail, desired, facts, wanted[rail.rail], _own_part(old, rail, good, desired), rules) for rail in good]
    return join([gone, *rows, sort(refused)])


def _before(facts: RailsFacts, wanted: Dict[int, Dict[str, str]], untouched: Set[int]) -> Goal:
    """Return what our files declared until now, where they change or go."""
    rows = [(path, text) for path, text in facts.files.items() if rail_of(path) not in untouched]
    return declared_in(text for path, text in rows if wanted.get(rail_of(path), {}).get(path) != text)


def _own_part(old: Goal, rail: Rail, good: List[Rail], desired: RailsDesired) -> Goal:
    """Return what a rail has to clear away: rules of its table, the first one also those of tables nobody has."""
    own, held = desired.table_base + rail.rail, {desired.table_base + one.rail for one in good}
    keep = [rule for rule in old.rules if rule.table == own or (rail == good[0] and rule.table not in held)]
    return replace(old, rules=tuple(keep))


def _gone(
    desired: RailsDesired,
    facts: RailsFacts,
    untouched: Set[int],
    wanted: Dict[int, Dict[str, str]],
    keep: Goal,
    old: Goal,
) -> Plan:
    paths = [path for path in sorted(facts.files) if rail_of(path) not in untouched]
    paths = [path for path in paths if path not in wanted.get(rail_of(path), {})]
    labels = {one for rail in desired.rails for one in (rail.label, *(member.label for member in rail.members))}
    given_up = [label for label in sorted(facts.owned) if label not in labels]
    steps = [_restore(label, facts, keep, old) for label in given_up]
    risk = DISRUPTIVE if any(step.risk == DISRUPTIVE for step in steps) else SAFE
    removed = join(plan_file(path, "", facts.files[path], WHY_FILE) for path in paths)
    return join([_at_risk(removed, risk), sort(replace(step, risk=risk) for step in steps)])


def _restore(label: str, facts: RailsFacts, keep: Goal, old: Goal) -> Step:
    was = facts.owned[label]
    name = was.get("bond") or facts.ports.get(label, "")
    link = facts.links.get(name)
    args: Dict[str, Any] = {"port": label, "device": name, "was": was, "old": old, "keep": keep}
    if link is None:
        what = f"forget {label}: it is gone"
        return Step("rails_forget", label, what, WHY_GONE, SAFE, "declare the rail again", args=args)
    what = f"remove {name}" if was.get("bond") else f"give {name} ({label}) back as it was"
    before = ", ".join(link.addresses)
    risk = DISRUPTIVE if link.up else SAFE
    return Step("rails_restore", label, what, WHY_GONE, risk, "declare the rail again", before, "", args)


def _rail(
    rail: Rail, desired: RailsDesired, facts: RailsFacts, texts: Dict[str, str], old: Goal, rules: List[Any]
) -> Plan:
    name = interface_of(rail, facts)
    written = join(plan_file(path, text, facts.files.get(path), WHY_FILE) for path, text in sorted(texts.items()))
    wanted = replace(goal(rail, desired), rules=tuple(rules))
    rows = [*lacks(rail, desired, facts), *leftovers(rail, old, wanted, facts)]
    reload = any(step.target.endswith((".network", ".netdev")) for step in written.steps)
    if not rows and not reload:
        return join([written, sort(_noops(rail, desired, facts))])
    risk = DISRUPTIVE if _disturbs(rail, facts, reload) else SAFE
    args: Dict[str, Any] = {
        "rail": rail,
        "desired": replace(desired, rails=(rail,)),
        "before": _originals(rail, facts),
        "old": old,
        "keep": wanted,
        "reload": reload,
        "bond": bool(rail.bond) and name in facts.links,
        "remake": must_remake(rail, facts),
    }
    what = f"set {told(rows)}" if rows else f"have the files of {name} read anew"
    step = Step("rails", rail.label, what, WHY_LIVE, risk, UNDO, _shown(name, facts), _after(rail, rows), args)
    return join([_at_risk(written, risk), sort([step])])


def _disturbs(rail: Rail, facts: RailsFacts, reload: bool) -> bool:
    """Tell whether somebody may be using what is about to change."""
    links = [facts.links[name] for name in (interface_of(rail, facts),) if name in facts.links]
    if reload and any(link.up and link.addresses for link in links):
        return True
    members = [facts.links.get(facts.ports[member.label]) for member in rail.members] if rail.bond else []
    joins = [link for link in members if link and rail.bond and link.master != rail.bond.name]
    return must_remake(rail, facts) or any(link.up for link in joins)


def _originals(rail: Rail, facts: RailsFacts) -> Dict[str, Any]:
    """Return label → what the ledger keeps of each port, and that a bond was not there."""
    found: Dict[str, Any] = {}
    for member in rail.members:
        name = facts.ports[member.label]
        sysctls = {key: value for key, value in facts.sysctls.get(name, {}).items() if value is not None}
        link = facts.links.get(name)
        found[member.label] = {"up": bool(link and link.up), "sysctls": sysctls}
    if rail.bond:
        found[rail.label] = {"bond": rail.bond.name}
    return found


def _noops(rail: Rail, desired: RailsDesired, facts: RailsFacts) -> List[Noop]:
    name = interface_of(rail, facts)
    table = f", looked up in table {desired.table_base + rail.rail}" if desired.policy else ""
    rows = [Noop(rail.label, f"{name} has {', '.join(rail.addresses) or 'no address'}{table}, as declared")]
    more = [one for one in facts.links[name].addresses if one not in rail.addresses]
    if more:
        rows.append(Noop(rail.label, f"{name} has {', '.join(more)} as well, which raceway did not put there"))
    if rail.bond:
        rows.append(Noop(rail.label, _health(rail, facts)))
    return rows


def _health(rail: Rail, facts: RailsFacts) -> str:
    assert rail.bond is not None
    bond = facts.bonds.get(rail.bond.name)
    if bond is None or not bond.members:
        return f"{rail.bond.name} does not tell the state of its members"
    down = [one.name for one in bond.members if not one.up]
    sends = f", {bond.active} sends" if bond.active else ""
    return (f"warning: {', '.join(down)} has no link" if down else "all members have links") + sends


def _at_risk(plan: Plan, risk: str) -> Plan:
    """Return a plan whose steps need the same consent as the change they belong to."""
    return replace(plan, steps=tuple(replace(step, risk=risk) for step in plan.steps))


def _shown(name: str, facts: RailsFacts) -> str:
    link = facts.links.get(name)
    if link is None:
        return "no such interface"
    return f"{name} {'up' if link.up else 'down'}, {', '.join(link.addresses) or 'no address'}"


def _after(rail: Rail, rows: List[Lack]) -> str:
    return "; ".join(row.what for row in rows) or ", ".join(rail.addresses)

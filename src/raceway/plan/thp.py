"""Plans transparent huge pages: the value now, and a tmpfiles.d line that writes it at every boot.

It deliberately does not use the kernel command line: a tmpfiles line needs no reboot and can be taken back.
"""

from __future__ import annotations

from typing import Dict, List, Union

from ..facts.thp import Choice, ThpFacts
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.thp import FOLDER, ThpDesired
from .bootwriter import conflicts, tuned_conflicts
from .dropin import plan_file, render

VARIABLES = {"enabled": "kernel_transparent_hugepages", "defrag": "kernel_transparent_hugepages_defrag"}
TUNED_OPTION = {"enabled": "vm.transparent_hugepages", "defrag": "vm.transparent_hugepage.defrag"}
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: ThpDesired, facts: ThpFacts) -> Plan:
    """Return what makes both files hold what is declared, now and after the next boot."""
    found: List[_Outcome] = []
    written: Dict[str, str] = {}
    for name, value in desired.knobs.items():
        outcome = _knob(name, value, desired, facts)
        found.append(outcome)
        if desired.platform == "container" or isinstance(outcome, Refusal):
            continue
        written[name] = value
        variable = VARIABLES[name]
        found += conflicts(_target(name), f"{FOLDER}/{name}", value, desired.file, facts.tmpfiles, variable)
        found += tuned_conflicts(_target(name), TUNED_OPTION[name], value, facts.tuned, variable)
    text = render("kernel", [f"w {FOLDER}/{name} - - - - {value}" for name, value in written.items()])
    return join(
        [
            plan_file(desired.file, text, facts.own_file, "huge page settings must come back at the next boot"),
            sort(found),
            sort([_restore(name, facts) for name in sorted(facts.owned) if name not in desired.knobs]),
        ]
    )


def _target(name: str) -> str:
    return f"transparent_hugepage/{name}"


def _knob(name: str, value: str, desired: ThpDesired, facts: ThpFacts) -> _Outcome:
    target, choice = _target(name), facts.choices.get(name)
    if desired.platform == "container":
        return Noop(target, "kernel-wide: it belongs to the machine this container runs on")
    if choice is None:
        return Refusal(target, "this kernel has no transparent huge pages", f"leave {VARIABLES[name]} empty here")
    if value not in choice.offered:
        act = f"set {VARIABLES[name]} to one of {', '.join(choice.offered)}"
        return Refusal(target, f"{value!r} is not offered", act)
    if choice.value == value:
        return Noop(target, f"is {value} already")
    original = facts.owned.get(name, choice.value)
    what, why, undo = f"set {target} to {value}", f"{VARIABLES[name]} declares it", f"set {target} to {original}"
    return Step("thp", target, what, why, SAFE, undo, choice.value, value, {"name": name, "value": value})


def _restore(name: str, facts: ThpFacts) -> Step:
    target, original, choice = _target(name), facts.owned[name], facts.choices.get(name, Choice("", ()))
    same = choice.value == original
    what = f"forget {target}: it is {original} again" if same else f"give {target} back its {original}"
    why = "it is no longer declared, the node gets back what raceway found"
    args = {"name": name, "value": original}
    undo = f"declare {VARIABLES[name]} again"
    return Step("thp_restore", target, what, why, SAFE, undo, choice.value, original, args)

"""Plans the CPU frequency governor of every policy: the value now, and a tmpfiles.d line for every boot.

A virtual machine usually has no cpufreq, its host decides: explained, not refused. On bare metal the same is
a refusal, because firmware that hides the clock from Linux (custom profile off) is what slows such a node down.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Union

from ..facts.governor import GovernorFacts
from ..model.governor import POLICIES, GovernorDesired
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, join, sort
from .bootwriter import conflicts, tuned_conflicts
from .dropin import plan_file, render

TARGET = "cpu governor"
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: GovernorDesired, facts: GovernorFacts) -> Plan:
    """Return what makes all policies use the declared governor, now and after the next boot."""
    found: List[_Outcome] = []
    text = ""
    if desired.governor:
        outcome = _governor(desired, facts)
        found.append(outcome)
        if facts.policies and desired.platform != "container" and not isinstance(outcome, Refusal):
            path = f"{POLICIES}/scaling_governor"
            text = render("kernel", [f"w {path} - - - - {desired.governor}"])
            found += conflicts(TARGET, path, desired.governor, desired.file, facts.tmpfiles, "kernel_cpu_governor")
            found += tuned_conflicts(TARGET, "cpu.governor", desired.governor, facts.tuned, "kernel_cpu_governor")
    elif facts.owned:
        found.append(_restore(facts))
    return join(
        [
            plan_file(desired.file, text, facts.own_file, "the governor must come back at the next boot"),
            sort(found),
        ]
    )


def _governor(desired: GovernorDesired, facts: GovernorFacts) -> _Outcome:
    if desired.platform == "container":
        return Noop(TARGET, "kernel-wide: it belongs to the machine this container runs on")
    if not facts.policies:
        return _no_cpufreq(desired)
    lacking = {name: policy for name, policy in facts.policies.items() if desired.governor not in policy.offered}
    if lacking:
        name, policy = sorted(lacking.items())[0]
        offered = ", ".join(policy.offered) or "none"
        reason = f"{desired.governor!r} is not offered by {len(lacking)} policies ({name} offers {offered})"
        return Refusal(TARGET, reason, f"set kernel_cpu_governor to one of {offered}")
    wrong = {name: p.governor for name, p in facts.policies.items() if p.governor != desired.governor}
    if not wrong:
        return Noop(TARGET, f"{len(facts.policies)} policies use {desired.governor} already")
    what = f"set the governor of {len(wrong)} policies to {desired.governor}"
    args = {"values": dict.fromkeys(wrong, desired.governor), "before": wrong}
    undo = f"set them to {_summary(wrong)}"
    why = "kernel_cpu_governor declares it"
    return Step("governor", TARGET, what, why, SAFE, undo, _summary(wrong), desired.governor, args)


def _no_cpufreq(desired: GovernorDesired) -> Union[Noop, Refusal]:
    if desired.platform == "vm":
        return Noop(TARGET, "this virtual machine has no cpufreq: its host decides about clocks")
    return Refusal(
        TARGET,
        "the kernel shows no cpufreq policy: the firmware keeps the clocks to itself, or no driver is loaded",
        "let the operating system control P-states in the firmware setup, or leave kernel_cpu_governor empty",
    )


def _restore(facts: GovernorFacts) -> Step:
    owned = {name: value for name, value in facts.owned.items() if name in facts.policies}
    wrong = {name: value for name, value in owned.items() if facts.policies[name].governor != value}
    args = {"values": wrong, "forget": sorted(facts.owned)}
    back = f"give {len(wrong)} policies back their {_summary(wrong)}"
    what = back if wrong else "forget the governors: they are as found"
    now = _summary({name: facts.policies[name].governor for name in wrong})
    why = "it is no longer declared, the node gets back what raceway found"
    undo = "declare kernel_cpu_governor again"
    return Step("governor_restore", TARGET, what, why, SAFE, undo, now, _summary(wrong), args)


def _summary(values: Mapping[str, str]) -> str:
    """Return ``powersave (64), schedutil (2)``."""
    counts: Dict[str, int] = {}
    for value in values.values():
        counts[value] = counts.get(value, 0) + 1
    return ", ".join(f"{value} ({count})" for value, count in sorted(counts.items()))

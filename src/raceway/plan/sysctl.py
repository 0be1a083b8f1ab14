"""Plans kernel settings: our own drop-in for the boot, the live value now, and whoever would undo either.

A declared value is in force only when the live value equals it *and* nothing that runs later at boot sets
another one. It deliberately never edits a file it does not own: a conflicting line is a refusal that names it.
"""

from __future__ import annotations

from typing import List, Optional, Tuple, Union

from ..facts.sysctl import Assignment, Live, SysctlFacts
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.sysctl import Setting, SysctlDesired, bad_value, kernel_wide, key_of, knob_for, module_of
from .dropin import plan_file, render

CONGESTION = "net/ipv4/tcp_congestion_control"
# The module of a congestion control is tcp_<name>; reno and cubic are usually built in.
CONGESTION_MODULE = "tcp_{name}"
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: SysctlDesired, facts: SysctlFacts) -> Plan:
    """Return what makes the declared settings hold now and after the next boot."""
    outcomes = [(setting, _setting(setting, desired, facts)) for setting in desired.settings]
    written = [s for s, outcome in outcomes if not isinstance(outcome, Refusal) and not _elsewhere(s, desired, facts)]
    text = render("kernel", [line for setting in written for line in _lines(setting)])
    found: List[_Outcome] = [outcome for _, outcome in outcomes]
    for setting in written:
        found.extend(_conflicts(setting, desired, facts))
    return join(
        [
            plan_file(desired.file, text, facts.own_file, "kernel settings must come back at the next boot"),
            sort(found),
            sort([_restore(path, facts) for path in _given_up(desired, facts)]),
        ]
    )


def _setting(setting: Setting, desired: SysctlDesired, facts: SysctlFacts) -> _Outcome:
    key = key_of(setting.path)
    problem = bad_value(setting.value)
    if problem:
        return Refusal(key, problem, f"put the comment on its own line and give {key} the plain value")
    knob = knob_for(setting.path)
    if knob:
        return Refusal(key, "there is no such kernel setting in any Linux kernel", knob)
    if _elsewhere(setting, desired, facts):
        return Noop(key, "kernel-wide: it belongs to the machine this container runs on")
    live = facts.live.get(setting.path, Live(None))
    return _impossible(setting, desired, facts, live) or _change(setting, facts, live)


def _impossible(setting: Setting, desired: SysctlDesired, facts: SysctlFacts, live: Live) -> Optional[Refusal]:
    key = key_of(setting.path)
    if not live.readable:
        reason = "a write-only trigger, not a setting: it cannot be read back"
        return Refusal(key, reason, f"remove {key} from kernel_sysctl")
    if live.value is None:
        module = module_of(setting.path)
        if module in desired.modules:
            return None  # it comes with the module that this very run loads first
        act = f"add {module} to kernel_modules" if module else "check the spelling"
        return Refusal(key, f"/proc/sys/{setting.path} does not exist on this kernel", act)
    if setting.path == CONGESTION and setting.value not in facts.congestion_controls:
        module = CONGESTION_MODULE.format(name=setting.value)
        if module not in desired.modules:
            return Refusal(
                key,
                f"{setting.value} is not available, the kernel offers {', '.join(facts.congestion_controls) or 'none'}",
                f"add {module} to kernel_modules",
            )
    if live.value not in (None, setting.value) and not live.writable:
        return Refusal(key, "the kernel shows it read-only here", "declare it where this kernel lets it be written")
    return None


def _change(setting: Setting, facts: SysctlFacts, live: Live) -> Union[Step, Noop]:
    key = key_of(setting.path)
    if live.value == setting.value:
        return Noop(key, f"is {setting.value} already")
    original = facts.owned.get(setting.path, live.value)
    why = f"asked for by {', '.join(setting.asked_by) or 'kernel_sysctl'}" + (f": {setting.why}" if setting.why else "")
    what, undo = f"set {key} to {setting.value}", f"set {key} to {original or 'what its module brought'}"
    args = {"path": setting.path, "value": setting.value}
    return Step("sysctl", key, what, why, SAFE, undo, live.value or "", setting.value, args)


def _conflicts(setting: Setting, desired: SysctlDesired, facts: SysctlFacts) -> List[Refusal]:
    """Return a refusal for each source that would win over ours at boot with another value."""
    key = key_of(setting.path)
    names = [row.file for row in facts.assignments]
    ours = max((i for i, name in enumerate(names) if name == desired.file), default=_place(desired.file, names))
    later = [row for row in facts.assignments[ours + 1 :] if _sets(row, setting.path) and row.file != desired.file]
    rows = []
    if later and later[-1].value != setting.value:
        rows.append(_conflict(key, setting, later[-1], "is read after ours at boot"))
    rows += [
        _conflict(key, setting, row, "is put in force by TuneD after every sysctl file (reapply_sysctl = 0)")
        for row in facts.tuned
        if _sets(row, setting.path) and row.value != setting.value
    ]
    return rows


def _conflict(key: str, setting: Setting, row: Assignment, how: str) -> Refusal:
    return Refusal(
        key,
        f"{row.file}:{row.line} sets {row.value} and {how}, so {setting.value} would not last",
        f"remove that line, or declare {key}: {row.value} in kernel_sysctl",
    )


def _place(file: str, names: List[str]) -> int:
    """Return the index after which a file that is not there yet would be read: by base name, as at boot."""
    base = file.rsplit("/", 1)[1]
    earlier = [i for i, name in enumerate(names) if name.rsplit("/", 1)[1] < base and name != "/etc/sysctl.conf"]
    return max(earlier, default=-1)


def _sets(row: Assignment, path: str) -> bool:
    # A glob never wins over a key that is named somewhere: systemd-sysctl leaves named keys out of a glob's matches.
    return row.path == path


def _given_up(desired: SysctlDesired, facts: SysctlFacts) -> Tuple[str, ...]:
    declared = {setting.path for setting in desired.settings}
    return tuple(path for path in sorted(facts.owned) if path not in declared)


def _restore(path: str, facts: SysctlFacts) -> Step:
    key, original, live = key_of(path), facts.owned[path], facts.live.get(path, Live(None))
    why = "it is no longer declared, the node gets back what raceway found"
    what = f"give {key} back its {original}"
    if live.value is None or live.value == original:
        what = f"forget {key}: it is {original} again" if live.value else f"forget {key}: the kernel no longer has it"
    args = {"path": path, "value": original}
    return Step("sysctl_restore", key, what, why, SAFE, f"declare {key} again", live.value or "", original, args)


def _elsewhere(setting: Setting, desired: SysctlDesired, facts: SysctlFacts) -> bool:
    """Tell whether a container must leave a key alone, even where a privileged one could write it.

    Below net/ the kernel itself tells: another network namespace sees its own keys writable, kernel-wide ones not.
    """
    if desired.platform != "container" or not kernel_wide(setting.path):
        return False
    live = facts.live.get(setting.path, Live(None))
    return not (setting.path.startswith("net/") and live.value is not None and live.writable)


def _lines(setting: Setting) -> List[str]:
    asked = ", ".join(setting.asked_by)
    comment = [f"# asked for by {asked}"] if asked else []
    return [*comment, f"{key_of(setting.path)} = {setting.value}"]

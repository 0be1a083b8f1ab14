"""Plans kernel arguments: given to the boot loader now, in force after a reboot that is asked for and never done here.

It deliberately edits no setting that someone else wrote: an argument that is there with another value is a
refusal naming the file.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Union

from ..facts.cmdline import GRUB, GRUBBY, CmdlineFacts, GrubLine
from ..model.cmdline import PLAIN, REPEATED, Argument, CmdlineDesired, in_force, key_of, same
from ..model.plan import SAFE, Noop, Plan, Reboot, Refusal, Step, join, sort
from .dropin import plan_file, render

TARGET = "kernel command line"
_Outcome = Union[Noop, Refusal, Reboot]


def plan(desired: CmdlineDesired, facts: CmdlineFacts) -> Plan:
    """Return what makes every boot entry pass the declared arguments, and the reboot that is still needed."""
    if desired.platform == "container":
        reason = "the kernel belongs to the machine this container runs on"
        return Plan(noops=tuple(Noop(argument.text, reason) for argument in desired.arguments))
    refusals: Dict[str, Refusal] = {}
    for argument in desired.arguments:
        refusal = _impossible(argument, desired, facts)
        if refusal:
            refusals[argument.text] = refusal
    kept = [argument for argument in desired.arguments if argument.text not in refusals]
    ours = [argument for argument in kept if not _by_others(argument, desired, facts)]
    found: List[_Outcome] = list(refusals.values())
    found += [_status(argument, desired, facts) for argument in kept]
    return join([_file(ours, desired, facts), _loader(ours, desired, facts), sort(found)])


def _impossible(argument: Argument, desired: CmdlineDesired, facts: CmdlineFacts) -> Optional[Refusal]:
    text = argument.text
    if not PLAIN.fullmatch(text) or text.startswith("-"):
        reason = "it holds characters that a boot loader would take apart (blanks, quotes, $, ;)"
        return Refusal(text, reason, "set this one in the boot loader by hand and leave it out of kernel_cmdline")
    other = next((a for a in desired.arguments if _contradicts(text, a.text)), None)
    if other:
        askers = ", ".join([*argument.asked_by, *other.asked_by]) or "kernel_cmdline"
        reason = f"{other.text} is declared too, only the last one would count (asked for by {askers})"
        return Refusal(text, reason, "declare one value")
    if not facts.loader:
        if in_force(text, facts.running):
            return None  # booted from elsewhere (network, a hypervisor's direct boot), and that passes it
        return Refusal(
            text,
            "no boot loader found that raceway can set arguments for (GRUB with update-grub, or entries with grubby)",
            "install one of them, or set the argument where this machine's boot is configured",
        )
    return _conflict(text, desired, facts)


def _conflict(text: str, desired: CmdlineDesired, facts: CmdlineFacts) -> Optional[Refusal]:
    """Return a refusal where someone else gives the same key another value, or drops what our file adds."""
    for row in facts.settings:
        if row.file == desired.file:
            continue
        if _undoes(row, desired):
            reason = f"{row.file}:{row.line} sets {row.variable} anew and is read after ours"
            return Refusal(text, reason, f"let that line keep ${row.variable}")
        for other in row.arguments:
            if _contradicts(text, other):
                return _taken(text, other, f"{row.file}:{row.line}")
    if facts.loader == GRUBBY:
        for entry in facts.entries:
            for other in entry.arguments:
                if _contradicts(text, other) and other not in facts.owned:
                    return _taken(text, other, entry.file)
    return None


def _undoes(row: GrubLine, desired: CmdlineDesired) -> bool:
    later = row.file.rsplit("/", 1)[0] == desired.file.rsplit("/", 1)[0] and row.file > desired.file
    return later and row.variable == "GRUB_CMDLINE_LINUX" and not row.keeps


def _contradicts(text: str, other: str) -> bool:
    return key_of(text) == key_of(other) and key_of(text) not in REPEATED and not same(text, other)


def _taken(text: str, other: str, place: str) -> Refusal:
    return Refusal(text, f"{place} gives {other} already", f"remove it there, or declare {other} in kernel_cmdline")


def _by_others(argument: Argument, desired: CmdlineDesired, facts: CmdlineFacts) -> bool:
    """Tell whether someone else's setting passes the very same argument, so that ours would only repeat it."""
    rows = [other for row in facts.settings if row.file != desired.file for other in row.arguments]
    return any(same(argument.text, other) for other in rows)


def _file(ours: Sequence[Argument], desired: CmdlineDesired, facts: CmdlineFacts) -> Plan:
    if facts.loader != GRUB and facts.own_file is None:
        return Plan()
    lines = [line for argument in ours for line in _comment(argument)]
    words = " ".join(argument.text for argument in ours)
    text = render("kernel", [*lines, f'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX {words}"']) if ours else ""
    return plan_file(desired.file, text, facts.own_file, "update-grub takes kernel arguments from there")


def _comment(argument: Argument) -> List[str]:
    asked = ", ".join(argument.asked_by)
    return [f"# {argument.text}: asked for by {asked}"] if asked else []


def _loader(ours: Sequence[Argument], desired: CmdlineDesired, facts: CmdlineFacts) -> Plan:
    """Return the step that brings the boot entries up to date, one for everything added and taken away."""
    missing = [argument for argument in ours if facts.loader and not _everywhere(argument.text, facts)]
    declared = [argument.text for argument in desired.arguments]
    gone = [text for text in sorted(facts.owned) if text not in declared]
    if not missing and not gone:
        return Plan()
    add = [argument.text for argument in missing]
    asked = sorted({asker for argument in missing for asker in argument.asked_by}) or ["kernel_cmdline"]
    why = f"asked for by {', '.join(asked)}" if missing else "it is no longer declared"
    parts = ([f"add {' '.join(add)}"] if add else []) + ([f"remove {' '.join(gone)}"] if gone else [])
    what = f"{' and '.join(parts)} in the boot entries ({facts.loader or 'no boot loader any more'})"
    args = {
        "loader": facts.loader,
        "add": add,
        # What someone else sets too stays in the entries: only our record of it goes.
        "remove": [text for text in gone if not _by_others(Argument(text), desired, facts)],
        "forget": gone,
        "own": [a.text for a in ours] if facts.loader == GRUB else add,
    }
    undo = "remove the declaration; the boot entries are written anew"
    step = Step("cmdline", TARGET, what, why, SAFE, undo, " ".join(gone), " ".join(add), args)
    still = [text for text in gone if in_force(text, facts.running)]
    reboots = tuple(Reboot(text, "no longer declared, but the running kernel still has it") for text in still)
    return Plan(steps=(step,), reboots=reboots)


def _everywhere(text: str, facts: CmdlineFacts) -> bool:
    return bool(facts.entries) and all(in_force(text, entry.arguments) for entry in facts.entries)


def _status(argument: Argument, desired: CmdlineDesired, facts: CmdlineFacts) -> Union[Noop, Reboot]:
    if in_force(argument.text, facts.running):
        return Noop(argument.text, "the running kernel has it")
    reason = "the running kernel was started without it"
    others = [token for token in facts.running if _contradicts(argument.text, token)]
    return Reboot(argument.text, f"{reason} (it has {others[-1]})" if others else reason)

"""Writes unit files, enables, starts and stops units, and reads each state back: exit status 0 of a start is no proof.

The manager reads changed files once, before the first unit is acted on. It deliberately notes in the ledger which
run of a unit still has old content, so that a restart that was interrupted or lacked consent is not forgotten.
"""

from __future__ import annotations

from typing import Dict, Sequence

from ..facts.unit import UnitState, last_words
from ..model.plan import Step
from ..probe.unit import ACTIVE_BOOK, ENABLED_BOOK, PENDING_BOOK, show
from . import file
from .outcome import Applying, Refused

START_TIMEOUT_S = 150.0  # systemd gives a start 90 s; what takes longer declares so itself and is still read back
JOURNAL_TIMEOUT_S = 10.0


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record files, boot and run states before the first change, and whose restart each new content will owe."""
    file.prepare(run, [step for step in steps if step.type == "unit_file"])
    books: Dict[str, Dict[str, str]] = {ENABLED_BOOK: {}, ACTIVE_BOOK: {}}
    for step in steps:
        if "forget" in step.args:
            continue
        if step.type in ("unit_enable", "unit_disable"):
            books[ENABLED_BOOK][step.args["name"]] = step.args["before"]
        if step.type in ("unit_start", "unit_stop"):
            books[ACTIVE_BOOK][step.args["name"]] = step.args["before"]
    for book, originals in books.items():
        run.ledger.remember_all(book, originals)


def write_unit(run: Applying, step: Step) -> None:
    """Write the unit's file; note first which run of it will go on with the former content."""
    name, invocation = step.args["name"], step.args["invocation"]
    if invocation and run.ledger.owned(PENDING_BOOK).get(name) != invocation:
        run.ledger.forget(PENDING_BOOK, name)
        run.ledger.remember(PENDING_BOOK, name, invocation)
    file.write_file(run, step)


def reload_unit(run: Applying, step: Step) -> None:
    """Ask for the manager's reload, which comes before the next unit action or at the end."""
    del step
    run.want_reload()


def boot_state(run: Applying, step: Step) -> None:
    """Enable or disable; the manager reads the links with the one reload."""
    verb, name = step.type[len("unit_") :], step.args["name"]
    done = run.host.run(["systemctl", verb, "--no-reload", "--", name])
    if done.rc:
        raise Refused(f"systemctl {verb}: {(done.err or done.out).strip() or f'it ended with {done.rc}'}")
    run.want_reload()
    _forget(run, step)


def start(run: Applying, step: Step) -> None:
    """Start or restart, and see that it runs; where it does not, its own last words are the reason."""
    verb, name = step.type[len("unit_") :], step.args["name"]
    run.settle()
    if step.args["before"] == "failed":  # a unit that failed too often in a row is refused a start until this is reset
        run.host.run(["systemctl", "reset-failed", "--", name])
    done = run.host.run(["systemctl", verb, "--", name], START_TIMEOUT_S)
    state = _state(run, name)
    if not state.running and not (state.skipped and step.args.get("may_skip")):
        raise Refused(_not_running(run, name, verb, state, done.err or done.out))
    run.ledger.forget(PENDING_BOOK, name)
    _forget(run, step)


def stop(run: Applying, step: Step) -> None:
    """Stop, and see that it has ended."""
    name = step.args["name"]
    run.settle()
    done = run.host.run(["systemctl", "stop", "--", name], START_TIMEOUT_S)
    state = _state(run, name)
    if state.running or state.active in ("activating", "deactivating"):
        raise Refused(f"{name} is still {state.active} after systemctl stop: {(done.err or done.out).strip()}")
    run.ledger.forget(PENDING_BOOK, name)
    _forget(run, step)


def forget(run: Applying, step: Step) -> None:
    """Drop what the ledger holds of a unit that is as it was found, and what systemd holds of one that is gone."""
    if step.args.get("failed"):
        run.settle()
        run.host.run(["systemctl", "reset-failed", "--", step.args["name"]])
    _forget(run, step)


def _forget(run: Applying, step: Step) -> None:
    for book in step.args.get("forget", ()):
        run.ledger.forget(book, step.args["name"])


def _state(run: Applying, name: str) -> UnitState:
    states, problem = show(run.host, [name])
    if problem:
        raise Refused(f"systemd does not answer: {problem}")
    return states.get(name, UnitState())


def _not_running(run: Applying, name: str, verb: str, state: UnitState, said: str) -> str:
    if state.skipped:
        return f"systemd skips {name}: one of its own conditions does not hold (systemctl status {name} names it)"
    if state.load != "loaded":
        return f"systemctl {verb}: {said.strip() or f'{name} is {state.load}'}"
    words = journal_words(run, state.id or name) or (said.strip().splitlines() or ["it left no word"])[0]
    return f"{name} is {state.active} after systemctl {verb}: {words}"


def journal_words(run: Applying, name: str) -> str:
    """Return what a unit said last. The journal is made to catch up first: it is some ms behind a unit that died."""
    run.host.run(["journalctl", "--sync"], JOURNAL_TIMEOUT_S)
    argv = ["journalctl", "-u", name, "-n", "40", "-o", "short", "--no-pager"]
    return last_words(run.host.run(argv, JOURNAL_TIMEOUT_S).out, name)


HANDLERS = {
    "unit_file": write_unit,
    "unit_reload": reload_unit,
    "unit_enable": boot_state,
    "unit_reenable": boot_state,
    "unit_disable": boot_state,
    "unit_start": start,
    "unit_restart": start,
    "unit_stop": stop,
    "unit_forget": forget,
}

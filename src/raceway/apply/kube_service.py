"""Brings a service up with the configuration it has now, and gives its former state back; each is read back.

Used by the nouns that own a service with its settings (containerd, the kubelet). Books of their own keep them apart
from units that people declare: what another role declares or gives up is none of their business.
"""

from __future__ import annotations

from typing import Sequence

from ..facts.unit import UnitState
from ..model.plan import Step
from ..plan.kube_service import NOT_THERE
from ..probe.kube_service import ACTIVE_BOOK, ENABLED_BOOK, PENDING_BOOK
from ..probe.unit import show
from .outcome import Applying, Refused
from .unit import START_TIMEOUT_S, journal_words

ACTS = ("kube_enable", "kube_up")


def remember(run: Applying, steps: Sequence[Step], unit: str = "") -> None:
    """Record what services were before the first change, and which run of them still has content from before.

    ``unit``: the noun's own service, recorded with the first step of any kind: one that somebody stops later was not
    found stopped. Others are recorded with the first step that acts on them.
    """
    ours = [step for step in steps if step.type in ("file", *ACTS) and not step.args.get("forget")]
    acted = [step.target for step in ours if step.type in ACTS]
    units = list(dict.fromkeys([unit, *acted] if unit and ours else acted))
    states, _ = show(run.host, units)
    found = {name: states.get(name, UnitState()) for name in units}
    run.ledger.remember_all(ENABLED_BOOK, {name: state.file_state or NOT_THERE for name, state in found.items()})
    run.ledger.remember_all(ACTIVE_BOOK, {name: state.active for name, state in found.items()})
    for step in ours:
        if step.type == "kube_up" and found[step.target].running:
            run.ledger.forget(PENDING_BOOK, step.target)
            run.ledger.remember(PENDING_BOOK, step.target, found[step.target].invocation)


def enable(run: Applying, step: Step) -> None:
    """Enable or disable at boot."""
    verb = "enable" if step.type == "kube_enable" else "disable"
    run.settle()
    done = run.host.run(["systemctl", verb, "--", step.target])
    if done.rc:
        raise Refused(f"systemctl {verb}: {(done.err or done.out).strip() or f'it ended with {done.rc}'}")
    if step.args.get("forget"):
        run.ledger.forget(ENABLED_BOOK, step.target)


def bring_up(run: Applying, step: Step) -> None:
    """Start, or restart where it runs; where it does not come up its own last words are the reason."""
    restart(run, step.target)
    run.ledger.forget(PENDING_BOOK, step.target)
    if step.args.get("forget"):
        run.ledger.forget(ACTIVE_BOOK, step.target)


def restart(run: Applying, unit: str) -> None:
    """Restart a unit and see that it runs, or that its own conditions skip it."""
    run.settle()
    run.host.run(["systemctl", "reset-failed", "--", unit])
    done = run.host.run(["systemctl", "restart", "--", unit], START_TIMEOUT_S)
    states, problem = show(run.host, [unit])
    if problem or unit not in states:
        raise Refused(f"systemd does not answer: {problem or f'it does not know {unit}'}")
    if not (states[unit].running or states[unit].skipped):
        said = (done.err or done.out).strip().splitlines() or ["it left no word"]
        raise Refused(f"{unit} is {states[unit].active} after a restart: {journal_words(run, unit) or said[0]}")


def stop(run: Applying, step: Step) -> None:
    """Stop a service that did not run before raceway."""
    run.settle()
    done = run.host.run(["systemctl", "stop", "--", step.target], START_TIMEOUT_S)
    states, _ = show(run.host, [step.target])
    if step.target in states and states[step.target].running:
        raise Refused(f"{step.target} still runs after systemctl stop: {(done.err or done.out).strip()}")
    for book in (ACTIVE_BOOK, PENDING_BOOK):
        run.ledger.forget(book, step.target)


def forget(run: Applying, step: Step) -> None:
    """Drop what the ledger holds of a service that is as it was found."""
    for book in (ENABLED_BOOK, ACTIVE_BOOK, PENDING_BOOK):
        run.ledger.forget(book, step.target)


HANDLERS = {
    "kube_enable": enable,
    "kube_disable": enable,
    "kube_up": bring_up,
    "kube_stop": stop,
    "kube_forget": forget,
}

"""Replaces queueing disciplines of live interfaces and asks the kernel what they are afterwards.

An automatic ``mq`` (handle 0:) cannot be addressed by tc, so it is first replaced by one that can; its children
come from net.core.default_qdisc, and each that is not of the wanted kind is then replaced one by one.
"""

from __future__ import annotations

from typing import Sequence

from ..facts.qdisc import Qdisc
from ..model.plan import Step
from ..model.qdisc import MULTIQUEUE
from ..plan.qdisc import holds, original
from ..probe.qdisc import read_qdiscs
from .outcome import Applying, Refused


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what each interface had, before the first one changes."""
    run.ledger.remember_all("qdisc", {s.args["dev"]: s.args["original"] for s in steps if s.type == "qdisc"})


def replace(run: Applying, step: Step) -> None:
    """Bring one interface to the declared kind and read it back."""
    dev, kind = step.args["dev"], step.args["kind"]
    root = _root(run, dev)
    if root.kind in MULTIQUEUE:
        _children(run, dev, root, kind)
    else:
        _tc(run, "replace", "dev", dev, "root", kind)
    found = _root(run, dev)
    if not holds(found, kind):
        raise Refused(f"{dev} shows {found.summary} afterwards, not {kind}")


def restore(run: Applying, step: Step) -> None:
    """Give an interface its original discipline back and forget it."""
    dev, was = step.args["dev"], step.args["original"]
    root = _root(run, dev)
    if root.handle != "0:":
        # Without a discipline of its own the kernel puts its default there, which is what stood there at first.
        _tc(run, "del", "dev", dev, "root")
        root = _root(run, dev)
    if original(root) != was:
        if was["kind"] in MULTIQUEUE:
            _children(run, dev, root, was["child"])
        else:
            _tc(run, "replace", "dev", dev, "root", was["kind"])
    found = _root(run, dev)
    if original(found) != was:
        raise Refused(f"{dev} shows {found.summary} afterwards, not {was['kind']}")
    run.ledger.forget("qdisc", dev)


def forget(run: Applying, step: Step) -> None:
    """Drop the record of an interface that is gone or is as it was."""
    run.ledger.forget("qdisc", step.args["dev"])


def _children(run: Applying, dev: str, root: Qdisc, kind: str) -> None:
    if root.handle == "0:":
        _tc(run, "replace", "dev", dev, "root", "mq")
        root = _root(run, dev)
    for parent, child in root.children:
        if child != kind:
            _tc(run, "replace", "dev", dev, "parent", parent, kind)


def _root(run: Applying, dev: str) -> Qdisc:
    roots, problem = read_qdiscs(run.host)
    if problem or dev not in roots:
        raise Refused(problem or f"{dev} is no longer there")
    return roots[dev]


def _tc(run: Applying, *words: str) -> None:
    done = run.host.run(["tc", "qdisc", *words])
    if done.rc:
        raise Refused(f"tc qdisc {' '.join(words)}: {done.err.strip() or f'exit status {done.rc}'}")


HANDLERS = {"qdisc": replace, "qdisc_restore": restore, "qdisc_forget": forget}

"""Writes the kubelet's files by the shared handler, removes checkpoints while it is stopped, and brings it up."""

from __future__ import annotations

from typing import Sequence

from ..model.kubelet import UNIT
from ..model.plan import Step
from ..probe.unit import show
from . import file
from .kube_service import HANDLERS as SERVICE
from .kube_service import remember
from .outcome import Applying, Refused
from .unit import START_TIMEOUT_S


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record files and service states before the first change."""
    remember(run, steps, UNIT)
    file.prepare(run, [step for step in steps if step.type == "file"])


def checkpoint(run: Applying, step: Step) -> None:
    """Remove a manager's checkpoint. The kubelet is stopped first: a running one would write it again."""
    run.settle()
    done = run.host.run(["systemctl", "stop", "--", UNIT], START_TIMEOUT_S)
    states, _ = show(run.host, [UNIT])
    if UNIT in states and states[UNIT].running:
        raise Refused(f"{UNIT} still runs after systemctl stop: {(done.err or done.out).strip()}")
    run.host.remove(step.args["path"])


HANDLERS = {**SERVICE, "kubelet_checkpoint": checkpoint}

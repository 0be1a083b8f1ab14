"""Writes live kernel settings and reads each one back: a value the kernel did not take is a refusal, not a success."""

from __future__ import annotations

from typing import Sequence

from ..model.plan import Step
from .outcome import Applying, Refused

PROC = "/proc/sys/"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record every original with one write, before the first value changes."""
    run.ledger.remember_all("sysctl", {step.args["path"]: step.before for step in steps if step.type == "sysctl"})


def set_value(run: Applying, step: Step) -> None:
    """Write and read back."""
    _write(run, step.args["path"], step.args["value"])


def restore_value(run: Applying, step: Step) -> None:
    """Write the original back where the key still exists and forget it."""
    path, value = step.args["path"], step.args["value"]
    if run.host.exists(PROC + path):
        _write(run, path, value)
    run.ledger.forget("sysctl", path)


def _write(run: Applying, path: str, value: str) -> None:
    try:
        run.host.poke(PROC + path, value + "\n")
    except OSError as error:
        raise Refused(f"the kernel refused {value!r}: {error.strerror}") from error
    kept = " ".join((run.host.read(PROC + path) or "").split())
    if kept != value:
        raise Refused(f"the kernel kept {kept!r} instead of {value!r}")


HANDLERS = {"sysctl": set_value, "sysctl_restore": restore_value}

"""Writes live kernel settings and reads each one back: a value the kernel did not take is a refusal, not a success."""

from __future__ import annotations

from typing import Sequence

from ..model.plan import Step
from .outcome import Applying, Refused

PROC = "/proc/sys/"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record every original with one write, before the first value changes (a key still to come has none yet)."""
    wanted = [step for step in steps if step.type == "sysctl" and run.host.exists(PROC + step.args["path"])]
    run.ledger.remember_all(
        "sysctl", {step.args["path"]: step.before or _read(run, step.args["path"]) for step in wanted}
    )


def set_value(run: Applying, step: Step) -> None:
    """Write and read back."""
    path = step.args["path"]
    if run.host.exists(PROC + path):
        run.ledger.remember("sysctl", path, _read(run, path))  # already there, but for a key that a module just brought
    _write(run, path, step.args["value"])


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
    kept = _read(run, path)
    if kept != value:
        raise Refused(f"the kernel kept {kept!r} instead of {value!r}")


def _read(run: Applying, path: str) -> str:
    return " ".join((run.host.read(PROC + path) or "").split())


HANDLERS = {"sysctl": set_value, "sysctl_restore": restore_value}

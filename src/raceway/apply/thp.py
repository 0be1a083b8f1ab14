"""Writes the two files of transparent huge pages and reads back which choice the kernel marks."""

from __future__ import annotations

from typing import Sequence

from ..facts.thp import parse_choice
from ..model.plan import Step
from ..model.thp import FOLDER
from .outcome import Applying, Refused


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record both originals before the first one changes."""
    run.ledger.remember_all("thp", {step.args["name"]: step.before for step in steps if step.type == "thp"})


def set_value(run: Applying, step: Step) -> None:
    """Write and read back."""
    _write(run, step.args["name"], step.args["value"])


def restore_value(run: Applying, step: Step) -> None:
    """Write the original back where the kernel still has the file, and forget it."""
    name = step.args["name"]
    if run.host.exists(f"{FOLDER}/{name}"):
        _write(run, name, step.args["value"])
    run.ledger.forget("thp", name)


def _write(run: Applying, name: str, value: str) -> None:
    path = f"{FOLDER}/{name}"
    try:
        run.host.poke(path, value + "\n")
    except OSError as error:
        raise Refused(f"the kernel refused {value!r}: {error.strerror}") from error
    kept = parse_choice(run.host.read(path) or "").value
    if kept != value:
        raise Refused(f"the kernel kept {kept!r} instead of {value!r}")


HANDLERS = {"thp": set_value, "thp_restore": restore_value}

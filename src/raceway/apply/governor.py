"""Writes the governor of each cpufreq policy and reads each one back."""

from __future__ import annotations

from typing import Mapping, Sequence

from ..model.governor import POLICIES
from ..model.plan import Step
from .outcome import Applying, Refused, remember_before


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record the governor of every policy that will change, with one write."""
    remember_before(run, "governor", steps)


def set_values(run: Applying, step: Step) -> None:
    """Write and read back policy by policy."""
    _write(run, step.args["values"])


def restore_values(run: Applying, step: Step) -> None:
    """Write the originals back and forget them."""
    _write(run, step.args["values"])
    for name in step.args["forget"]:
        run.ledger.forget("governor", name)


def _write(run: Applying, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        path = POLICIES.replace("policy*", name) + "/scaling_governor"
        try:
            run.host.poke(path, value + "\n")
        except OSError as error:
            raise Refused(f"{name}: the kernel refused {value!r}: {error.strerror}") from error
        kept = (run.host.read(path) or "").strip()
        if kept != value:
            raise Refused(f"{name}: the kernel kept {kept!r} instead of {value!r}")


HANDLERS = {"governor": set_values, "governor_restore": restore_values}

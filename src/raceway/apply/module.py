"""Loads kernel modules and sees that the kernel shows them; unloads only what raceway had loaded."""

from __future__ import annotations

from typing import Sequence

from ..model.plan import Step
from .outcome import Applying, Refused

SYS = "/sys/module/"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record with one write which modules were not loaded, before the first is."""
    run.ledger.remember_all("module", {step.args["name"]: "absent" for step in steps if step.type == "module"})


def load(run: Applying, step: Step) -> None:
    """Load with modprobe, which reads our options file, and look for the module in /sys."""
    name = step.args["name"]
    done = run.host.run(["modprobe", name])
    if done.rc:
        raise Refused(f"modprobe {name}: {done.err.strip() or f'exit status {done.rc}'}")
    if not run.host.exists(SYS + name):
        raise Refused(f"modprobe {name} ended well, but {SYS}{name} is not there")


def unload(run: Applying, step: Step) -> None:
    """Unload this one module (not what it depends on) and forget it."""
    name = step.args["name"]
    done = run.host.run(["rmmod", name])
    if done.rc:
        raise Refused(f"rmmod {name}: {done.err.strip() or f'exit status {done.rc}'}")
    if run.host.exists(f"{SYS}{name}/initstate"):
        raise Refused(f"rmmod {name} ended well, but the module is still loaded")
    run.ledger.forget("module", name)


def forget(run: Applying, step: Step) -> None:
    """Drop the record of a module that a reboot or a person has unloaded."""
    run.ledger.forget("module", step.args["name"])


HANDLERS = {"module": load, "module_unload": unload, "module_forget": forget}

"""Brings the boot entries up to date and reads them back; the running kernel is not touched, nothing reboots."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..facts.cmdline import GRUB, GRUBBY
from ..model.cmdline import in_force, same
from ..model.plan import Step
from ..probe.cmdline import entries
from .outcome import Applying, Refused

UPDATE_TIMEOUT_S = 300.0  # update-grub asks every disk for other systems; slow on nodes with many drives


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what raceway adds, so that it, and nothing else, is taken away later."""
    rows: Dict[str, Any] = {}
    for step in steps:
        if step.type == "cmdline":
            rows.update(dict.fromkeys(step.args["own"], "added"))
    run.ledger.remember_all("cmdline", rows)


def update(run: Applying, step: Step) -> None:
    """Run the boot loader's own tool, look into the entries, forget what was taken away."""
    loader, add, remove = step.args["loader"], step.args["add"], step.args["remove"]
    if loader == GRUB:
        _tool(run, ["update-grub"])
    elif loader == GRUBBY:
        if remove:
            _tool(run, ["grubby", "--update-kernel=ALL", f"--remove-args={' '.join(remove)}"])
        if add:
            _tool(run, ["grubby", "--update-kernel=ALL", f"--args={' '.join(add)}"])
    _read_back(run, loader, add, remove)
    for text in step.args["forget"]:
        run.ledger.forget("cmdline", text)


def _read_back(run: Applying, loader: str, add: List[str], remove: List[str]) -> None:
    found = entries(run.host, loader)
    if add and not found:
        raise Refused(f"{loader} left no boot entry that can be read")
    for entry in found:
        missing = [text for text in add if not in_force(text, entry.arguments)]
        left = [text for text in remove if any(same(text, token) for token in entry.arguments)]
        if missing or left:
            raise Refused(f"{entry.file} afterwards lacks [{' '.join(missing)}] and still has [{' '.join(left)}]")


def _tool(run: Applying, argv: List[str]) -> None:
    done = run.host.run(argv, timeout=UPDATE_TIMEOUT_S)
    if done.rc:
        raise Refused(f"{' '.join(argv)}: {done.err.strip() or f'exit status {done.rc}'}")


HANDLERS = {"cmdline": update}

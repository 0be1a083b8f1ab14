"""Writes the runtime's files by the shared handler and brings its service up; at the end it removes images of ours."""

from __future__ import annotations

from typing import Sequence

from ..model.containerd import MADE, UNIT
from ..model.plan import Step
from ..probe.containerd import FOLDER_BOOK
from . import file
from .kube_images import remove
from .kube_service import HANDLERS as SERVICE
from .kube_service import remember
from .outcome import Applying


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record files and service states before the first change."""
    remember(run, steps, UNIT)
    if any(step.type == "kube_up" and not step.args.get("forget") for step in steps):
        run.ledger.remember_all(FOLDER_BOOK, {path: "" for path in MADE if not run.host.exists(path)})
    file.prepare(run, [step for step in steps if step.type == "file"])


def folders(run: Applying, step: Step) -> None:
    """Remove folders that containerd has made, where nothing lies in them."""
    for path in step.args["paths"]:
        run.host.rmdir(path)
    run.ledger.forget_all(FOLDER_BOOK, list(step.args["paths"]))


HANDLERS = {**SERVICE, "kube_image_remove": remove, "containerd_folders": folders}

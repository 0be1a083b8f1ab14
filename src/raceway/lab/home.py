"""A lab's folder, its record and the lock over both: what a lab of containers and a lab of VMs have in common.

It deliberately keeps no state in memory between calls; everything is read from the lab's folder anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from . import locks, processes, record
from .processes import Process
from .progress import Steps
from .record import Record


class Home:
    """One lab by name; making the object does nothing. ``command``: what makes a lab of its kind."""

    command = "raceway lab up"

    def __init__(self, name: str = "lab", *, show: bool = False) -> None:
        self.name = record.check_name(name)
        self.folder = record.labs_dir() / name
        self.steps = Steps(show)

    @property
    def inventory_path(self) -> Path:
        """The generated inventory (JSON); hosts.py below inventories/ prints it for Ansible."""
        return self.folder / "inventory.json"

    @property
    def ssh_config(self) -> Path:
        """For ``ssh -F … NODE``."""
        return self.folder / "ssh" / "config"

    @property
    def record(self) -> Record | None:
        """What the lab is, or None when there is none."""
        self._check_owner()
        return record.load(self.folder / "lab.json")

    def _known(self) -> Record:
        known = self.record
        if known is None:
            raise RacewayError(f"lab {self.name}", "there is none", act=f"run {self.command} --name {self.name}")
        return known

    def _readable(self) -> Record | None:
        try:
            return record.load(self.folder / "lab.json")
        except RacewayError:
            return None

    def _end_processes(self, known: Record | None, first: Callable[[Process], bool]) -> int:
        """End all of the lab's processes, those first that would start others again; say how many there were."""
        ids = [known.id] if known else processes.lab_ids(str(self.folder))
        return sum(self._end(lab_id, first) for lab_id in ids)

    def _end(self, lab_id: str, first: Callable[[Process], bool]) -> int:
        # No patience: their data goes too.
        found = processes.of_lab(lab_id)
        with self.steps.step(f"stop the programs of {self.name}"):
            processes.end([process for process in found if first(process)], lab_id, patience=0)
            left = processes.end(processes.of_lab(lab_id), lab_id, patience=0)
        if left:
            raise RacewayError(
                f"lab {self.name}",
                f"pid {left[0].pid} ({' '.join(left[0].command[:1])}) does not end",
                act="look at it with ps, then run raceway lab down again",
            )
        return len(found)

    @property
    def _lock_file(self) -> Path:
        # Beside the lab's folder, not in it: `down` removes the folder while it holds the lock.
        return self.folder.with_name(f".{self.name}.lock")

    def _alone(self) -> Any:
        return locks.exclusive(self._lock_file, busy=f"lab {self.name}")

    def _check_owner(self) -> None:
        try:
            owner = self.folder.stat().st_uid
        except FileNotFoundError:
            return
        if owner != os.geteuid():
            raise RacewayError(
                f"lab {self.name}",
                f"{self.folder} belongs to uid {owner}, you are uid {os.geteuid()}",
                act="use it as that user, or choose another --name",
            )

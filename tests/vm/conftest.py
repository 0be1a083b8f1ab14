"""Two VM nodes for all tests of this rung, and the few words those tests speak: a command on a node, a raceway command.

It deliberately looks at a node through plain ssh, never through raceway. The lab's name holds this process's id; a lab
whose test process was killed is removed by the next session.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from raceway.lab import requirements
from raceway.lab.record import labs_dir
from raceway.lab.vm import VmLab

MISSING = requirements.missing_for_vms()
RACEWAY = (sys.executable, "-m", "raceway.cli.main")
ROOT = Path(__file__).parents[2]
PREFIX = "vmtest-"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip this rung, and say why, where the host cannot run it."""
    mark = pytest.mark.skipif(
        os.geteuid() != 0 or bool(MISSING),
        reason=f"needs root and {MISSING or 'nothing more'}: raceway lab prepare --vm",
    )
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(mark)


@dataclass(frozen=True)
class Vms:
    """A running lab of two VMs, ``first`` and ``second``."""

    lab: VmLab

    @property
    def first(self) -> str:
        """Name of the first node."""
        return f"{self.lab.name}-1"

    @property
    def second(self) -> str:
        """Name of the second node."""
        return f"{self.lab.name}-2"

    def ssh(self, node: str, script: str, *options: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a script on a node; the caller looks at how it ended."""
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "BatchMode=yes", *options, node, script]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    def read(self, node: str, script: str, timeout: float = 120) -> str:
        """Run a script that must succeed; return what it printed."""
        done = self.ssh(node, f"set -e\n{script}", timeout=timeout)
        assert done.returncode == 0, f"{node}: {script}: {done.stdout}{done.stderr}"
        return done.stdout


def raceway(*words: str, timeout: float = 300) -> str:
    """Run a raceway command that must succeed; return what it printed."""
    done = subprocess.run([*RACEWAY, *words], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


def left_behind(*words: str) -> list[str]:
    """All processes, mounts and files of labs that have one of these words in them, read past the code under test."""
    found = [f"mount {line}" for line in Path("/proc/mounts").read_text().splitlines()]
    found += [f"file {path}" for path in labs_dir().iterdir()] if labs_dir().exists() else []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if path.parent.name != str(os.getpid()):
            found.append(f"process {path.parent.name} {line}")
    return [item for item in found if any(word in f"{item} " for word in words)]


@pytest.fixture(scope="session")
def lab_name() -> str:
    """What the names of this process's labs begin with."""
    for folder in labs_dir().glob(f"{PREFIX}*") if labs_dir().exists() else ():
        match = re.match(rf"{PREFIX}(\d+)", folder.name)
        if match and not Path("/proc", match[1]).exists():
            VmLab(folder.name).down()
    return f"{PREFIX}{os.getpid()}"


@pytest.fixture(scope="package")
def vms(lab_name: str) -> Iterator[Vms]:
    """Two VMs that have booted; removed at the end."""
    lab = VmLab(lab_name, show=True)
    try:
        lab.up(2)
        yield Vms(lab)
    finally:
        lab.down()

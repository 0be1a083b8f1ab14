"""Two VM nodes for all tests of this rung, and the few words those tests speak: a command on a node, a raceway command.

The lab boots once a run, and every file works on the same two machines. A file finds them as the image makes them: no
roles, default kernel parameters, empty drives. It leaves them so: either it puts back what it changed, or it calls
``vms.worn_out(node)`` as soon as it changes something it will not put back; the next file that asks for ``vms`` then
gets that node on new disks (the time of a reboot, and nothing at all after the last file).

It deliberately looks at a node through plain ssh, never through raceway. The lab's name holds this process's id; a lab
whose test process was killed is removed by the next session.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raceway.lab import requirements
from raceway.lab.record import labs_dir
from raceway.lab.vm import VmLab

MISSING = requirements.missing_for_vms()
RACEWAY = (sys.executable, "-m", "raceway.cli.main")
ROOT = Path(__file__).parents[2]
PREFIX = "vmtest-"
BIN = Path(sys.executable).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip this rung, and say why, where the host cannot run it."""
    mark = pytest.mark.skipif(
        os.geteuid() != 0 or bool(MISSING),
        reason=f"needs root and {MISSING or 'nothing more'}: raceway lab prepare --vm",
    )
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(mark)


@dataclass
class Run:
    """How a playbook ended: exit code, everything it printed on one line, and the report's part of each node."""

    rc: int
    text: str
    nodes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Vms:
    """A running lab of two VMs, ``first`` and ``second``; ``worn``: nodes that are made anew for the next file.

    ``sessions``: folder of the ssh connections that are kept open, one a node: a login costs an emulated CPU a second.
    """

    lab: VmLab
    sessions: Path
    worn: set[str] = field(default_factory=set)

    @property
    def first(self) -> str:
        """Name of the first node."""
        return f"{self.lab.name}-1"

    @property
    def second(self) -> str:
        """Name of the second node."""
        return f"{self.lab.name}-2"

    def ssh(
        self, node: str, script: str, *options: str, timeout: float = 120, fresh: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a script on a node; the caller looks at how it ended. ``fresh``: over a connection of its own."""
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "BatchMode=yes"]
        if not fresh:
            path = self.sessions / "%n"
            command += ["-o", "ControlMaster=auto", "-o", "ControlPersist=yes", "-o", f"ControlPath={path}"]
        command += [*options, node, script]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    def read(self, node: str, script: str, timeout: float = 120, fresh: bool = False) -> str:
        """Run a script that must succeed; return what it printed."""
        done = self.ssh(node, f"set -e\n{script}", timeout=timeout, fresh=fresh)
        assert done.returncode == 0, f"{node}: {script}: {done.stdout}{done.stderr}"
        return done.stdout

    def playbook(self, book: str, node: str, values: dict[str, Any], *words: str, timeout: float = 300) -> Run:
        """Run a playbook on one node with these variables; the caller looks at how it ended."""
        report = self.lab.folder / "report.json"
        report.unlink(missing_ok=True)
        env = {**os.environ, "RACEWAY_LAB": self.lab.name, "RACEWAY_REPORT": str(report), "NO_COLOR": "1"}
        env["PATH"] = f"{BIN}:{env['PATH']}"
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/vmlab", book, "--limit", node]
        command += ["-e", json.dumps(values), *words]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout)
        print(done.stdout[-6000:], done.stderr[-2000:])
        nodes = json.loads(report.read_text())["nodes"] if report.exists() else {}
        return Run(done.returncode, " ".join((done.stdout + done.stderr).split()), nodes)

    def worn_out(self, *nodes: str) -> None:
        """Say that these nodes (default: both) will not be put back: the next file gets them on new disks."""
        self.worn.update(nodes or (self.first, self.second))

    def renew(self) -> None:
        """Give worn-out nodes new disks and boot them; all others are left alone."""
        for node in sorted(self.worn):
            self.lab.machine(node).make()
        self.worn.clear()
        self.lab.up()


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


@pytest.fixture(scope="session")
def machines(lab_name: str) -> Iterator[Vms]:
    """The two VMs of this run, booted once; removed at the end. Files ask for ``vms``."""
    lab = VmLab(lab_name, show=True)
    try:
        began = time.monotonic()
        lab.up(2)
        print(f"two machines have booted after {time.monotonic() - began:.0f} s")
        # A socket's path may have 107 bytes: not below the lab's folder. The connections end with their machines.
        with tempfile.TemporaryDirectory(prefix=PREFIX) as sessions:
            yield Vms(lab, Path(sessions))
            lab.down()
    finally:
        lab.down()


@pytest.fixture(scope="module")
def vms(machines: Vms) -> Vms:
    """The two VMs, booted and as the image makes them; shared by all files, see the module's text for what is owed."""
    if machines.worn:
        machines.renew()
    return machines

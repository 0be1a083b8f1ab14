"""Runs one Molecule scenario of a role on a lab node: check, converge, idempotence, verify, break and mend, remove.

The scenarios of one kind stand on one lab node, one after the other: the last step of each compares the node with the
pristine one, so the next begins where the first began. The two kinds have a node each, since they run side by side.
They cannot see kernel-wide settings, modules, queues of real interfaces, the boot (all on the vm rung).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LIMIT_S = 900  # a scenario takes about a minute on two cores; a hung node must not hang the rung
# The lab of `molecule test` by hand is "molecule", and host variables name its node.
LABS = {"default": "molecule-default", "alternative": "molecule"}
# These install a container runtime: a minute each, behind `make test-slow`.
SLOW = ("kubernetes",)


def roles() -> list[str]:
    """Return every role."""
    return sorted(path.name for path in (ROOT / "roles").iterdir() if path.is_dir())


def marked() -> list[Any]:
    """Return every role as a parameter; those that take long carry the mark ``slow``."""
    return [pytest.param(role, marks=pytest.mark.slow if role in SLOW else ()) for role in roles()]


def down(kind: str) -> None:
    """Remove the lab that the playbook `create` brings up."""
    lab = [sys.executable, "-m", "raceway.cli.main", "lab", "down", "--name", LABS[kind]]
    subprocess.run(lab, capture_output=True, check=True, timeout=LIMIT_S)


def run(role: str, kind: str, scratch: Path) -> int:
    """Run the scenario and print its evidence; return Molecule's exit code. After a failure the node is made anew."""
    bin_dir = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "NO_COLOR": "1", "RACEWAY_MOLECULE_LAB": LABS[kind]}
    env["MOLECULE_EPHEMERAL_DIRECTORY"] = str(scratch)  # what an earlier run knew of its node is not of this one
    done = subprocess.run(
        [bin_dir / "molecule", "test", "-s", kind, "--destroy=never"],
        cwd=ROOT / "roles" / role,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    print(done.stdout[-8000:], done.stderr[-8000:])
    if done.returncode:
        down(kind)
    return done.returncode

"""``pulumi up`` killed at random points: run again it converges, with nothing doubled, lost or left pending."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from raceway.stack import Project, destroy, drift, up
from raceway.stack.engine import command, environment
from raceway.stack.recover import locks, pending
from raceway.stack.run import ready

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
SEEDS = range(2)
UPS_KILLED = 2
MARK = "RACEWAY_TEST_RUN"
WORK = 36  # of the about 40 resources of the lab's platform: the last ones may go too fast to be hit
FINISHED = re.compile(r" (created|deleted) \(")


@pytest.fixture(scope="module")
def lab() -> PlatformLab:
    made = shared()
    made.up(make_machines(2))
    return made


@pytest.fixture(scope="module")
def project(lab: PlatformLab) -> Project:
    return lab.project("platform")


@pytest.fixture(scope="module")
def reference(lab: PlatformLab, project: Project) -> tuple[dict[str, str], dict[str, str]]:
    """Return the objects before, and those of an undisturbed up: they stand when the first test begins."""
    before = lab.objects()
    up(project, show=False)
    return before, lab.objects()


def made(project: Project) -> int:
    """Return how many resources the state holds."""
    latest = json.loads(project.checkpoint.read_text())["checkpoint"].get("latest") or {}
    return len(latest.get("resources") or [])


def killed(project: Project, verb: str, chance: random.Random, run: str, work: int = WORK) -> str:
    """Start Pulumi; after up to ``work`` finished resources, and a random moment, kill it and all it started.

    Resources are counted, not seconds, so that the point is in the middle of the work on a fast and on a busy machine.
    """
    finished, moment = chance.randint(0, work), chance.uniform(0, 0.5)
    process = subprocess.Popen(
        command(project, verb, "--yes", "--skip-preview"),
        env={**environment(project), MARK: run},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    seen = 0
    while seen < finished and (line := process.stdout.readline()):
        seen += bool(FINISHED.search(line))
    time.sleep(moment)
    at_work = process.poll() is None
    for pid in marked(run):
        os.kill(pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()
    assert at_work, f"{verb} had ended before it was killed: nothing is shown"
    return f"{verb} killed {moment:.2f} s after {seen} of about {WORK} resources"


def marked(run: str) -> list[int]:
    """Return the processes that carry the mark: the engine and the plugins, which have process groups of their own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={run}".encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_runs_converge_when_run_again(
    lab: PlatformLab, project: Project, reference: tuple[dict[str, str], dict[str, str]], seed: int
) -> None:
    before, laid_out = reference
    chance = random.Random(seed)
    told = killed(project, "destroy", chance, f"{os.getpid()}-destroy-{seed}")
    print(f"seed {seed}: {told}, pending: {pending(project)}")
    destroy(project, show=False)
    lab.wait("terminating objects gone", lambda: lab.objects().keys() == before.keys(), 30)
    assert lab.objects() == before  # labels of nodes too
    for turn in range(UPS_KILLED):  # the second goes on from what the first left
        ready(project)
        told = killed(project, "up", chance, f"{os.getpid()}-up-{seed}-{turn}", (WORK - made(project)) // 2)
        print(f"seed {seed}: {told}, pending: {pending(project)}")
    up(project, show=False)
    assert lab.objects() == laid_out
    assert (pending(project), locks(project)) == ([], [])


def test_after_the_last_kill_nothing_has_drifted(project: Project) -> None:
    assert drift(project, show=False) == []

"""``pulumi up`` killed at random points: run again it converges, with nothing doubled, lost or left pending."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raceway.stack import Project, destroy, drift, up
from raceway.stack.engine import command, environment
from raceway.stack.recover import locks, pending

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
SEEDS = range(6)
MARK = "RACEWAY_TEST_RUN"


@pytest.fixture(scope="module")
def lab() -> PlatformLab:
    made = shared()
    made.up(make_machines(2))
    return made


@pytest.fixture(scope="module")
def project(lab: PlatformLab) -> Iterator[Project]:
    made = lab.project("platform")
    yield made
    destroy(made, show=False)


@pytest.fixture(scope="module")
def reference(lab: PlatformLab, project: Project) -> tuple[dict[str, str], dict[str, str], float]:
    """Return the objects before, the objects of an undisturbed up, and how long that took."""
    before = lab.objects()
    began = time.monotonic()
    up(project, show=False)
    seconds = time.monotonic() - began
    laid_out = lab.objects()
    destroy(project, show=False)
    lab.wait("destroyed", lambda: lab.objects() == before, 30)
    return before, laid_out, seconds


def killed(project: Project, verb: str, after: float, run: str) -> bool:
    """Start Pulumi, kill it and everything it started without warning; return whether it was still at work."""
    words = command(project, verb, "--yes", "--skip-preview")
    process = subprocess.Popen(
        words,
        env={**environment(project), MARK: run},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after)
        return False
    except subprocess.TimeoutExpired:
        for pid in marked(run):
            os.kill(pid, signal.SIGKILL)
        process.wait()
        return True


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
    lab: PlatformLab, project: Project, reference: tuple[dict[str, str], dict[str, str], float], seed: int
) -> None:
    before, laid_out, seconds = reference
    chance = random.Random(seed)
    project.prepare()
    if not project.checkpoint.exists():
        lab.pulumi(project, "stack", "select", "--create")
    at = chance.uniform(0.05, 0.75) * seconds  # a moment later on a machine that has meanwhile become idle
    was_at_work = killed(project, "up", at, f"{os.getpid()}-up-{seed}")
    left = pending(project)
    print(f"seed {seed}: up killed after {at:.1f} of {seconds:.1f} s, at work: {was_at_work}, pending: {left}")
    up(project, show=False)
    assert lab.objects() == laid_out
    assert (pending(project), locks(project)) == ([], [])
    if seed % 2:
        was_at_work = killed(project, "destroy", chance.uniform(0.1, 0.6) * seconds, f"{os.getpid()}-destroy-{seed}")
        print(f"seed {seed}: destroy killed, at work: {was_at_work}, pending: {pending(project)}")
    destroy(project, show=False)
    lab.wait("nothing left", lambda: lab.objects() == before, 30)


def test_after_the_last_kill_nothing_has_drifted(lab: PlatformLab, project: Project) -> None:
    up(project, show=False)
    assert drift(project, show=False) == []

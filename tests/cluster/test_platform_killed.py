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
SEEDS = range(8)
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
def test_a_killed_up_converges_when_run_again(
    lab: PlatformLab, project: Project, reference: tuple[dict[str, str], dict[str, str], float], seed: int
) -> None:
    before, laid_out, seconds = reference
    project.prepare()
    if not project.checkpoint.exists():
        lab.pulumi(project, "stack", "select", "--create")
    verb = "up" if seed % 4 else "destroy"
    if verb == "destroy":
        up(project, show=False)
    at = random.Random(seed).uniform(0.3, max(1.0, seconds))
    was_at_work = killed(project, verb, at, f"{os.getpid()}-{seed}")
    left = pending(project)
    up(project, show=False)
    print(f"seed {seed}: {verb} killed after {at:.1f} of {seconds:.1f} s, at work: {was_at_work}, pending: {left}")
    assert lab.objects() == laid_out
    assert (pending(project), locks(project), drift(project, show=False)) == ([], [], [])
    destroy(project, show=False)
    lab.wait("nothing left", lambda: lab.objects() == before, 30)


def test_the_points_were_in_the_middle_of_the_work(
    reference: tuple[dict[str, str], dict[str, str], float],
) -> None:
    points = [random.Random(seed).uniform(0.3, max(1.0, reference[2])) for seed in SEEDS]
    assert sum(point < reference[2] for point in points) >= 6

"""A node is off when podman has cleaned up behind it, not when its processes have ended."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import pytest

from raceway.errors import RacewayError
from raceway.lab.kube import power

from ..builders import make_node

NODE = make_node()


class FakePodman:
    """Answers ``inspect`` with these states, one after the other; the last one stays."""

    def __init__(self, *states: str) -> None:
        self.states = list(states)
        self.asked: list[Sequence[str]] = []

    def run(self, arguments: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
        if arguments[0] != "inspect":
            self.asked.append(arguments)
            return subprocess.CompletedProcess(arguments, 0, "", "")
        now = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return subprocess.CompletedProcess(arguments, 125 if now == "missing" else 0, f"{now}\n", "")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power, "STOP_S", 0.3)


def test_a_node_is_told_to_end_and_waited_for_until_its_address_is_free() -> None:
    podman = FakePodman("running", "running", "stopped", "exited")
    power.off(podman, NODE)  # type: ignore[arg-type]
    assert podman.asked == [["kill", "--signal", "SIGRTMIN+3", NODE.container]]
    assert podman.states == ["exited"]


def test_a_node_that_does_not_end_in_time_is_cut_and_one_that_even_then_does_not_is_told() -> None:
    podman = FakePodman("running")
    with pytest.raises(RacewayError, match="is running; allowed: exited"):
        power.off(podman, NODE)  # type: ignore[arg-type]
    assert [words[2] for words in podman.asked] == ["SIGRTMIN+3", "SIGKILL"]


def test_a_node_that_is_off_is_left_alone_by_off_and_one_that_runs_by_on() -> None:
    off, runs = FakePodman("exited"), FakePodman("running")
    power.off(off, NODE)  # type: ignore[arg-type]
    power.on(runs, NODE)  # type: ignore[arg-type]
    assert off.asked == runs.asked == []
    power.on(off, NODE)  # type: ignore[arg-type]
    assert off.asked == [["start", NODE.container]]


def test_a_node_without_a_container_is_an_error_and_no_node_that_is_off() -> None:
    with pytest.raises(RacewayError, match="not there"):
        power.off(FakePodman("missing"), NODE)  # type: ignore[arg-type]

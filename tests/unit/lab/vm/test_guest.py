"""A boot is over when the guest says so, and what counts is what is then answered over ssh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab.nodes import NodeState
from raceway.lab.record import Vm
from raceway.lab.vm import guest

VM = Vm("vmlab-1", 26040)
READY = NodeState(VM.name, "", "", "running", True, "running")
BOOTING = NodeState(VM.name, "", "", "running", True, "starting")
SILENT = NodeState(VM.name, "", "", "running", False, "")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "PAUSE_S", 0.001)
    monkeypatch.setattr(guest, "REBOOT_S", 0.05)


def say(folder: Path, boot: str) -> None:
    """Write what QEMU writes when the guest has booted; it empties the file when it starts."""
    path = folder / "nodes" / VM.name / "up"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{boot}\r\n" if boot else "")


def answers(monkeypatch: pytest.MonkeyPatch, *states: NodeState) -> list[str]:
    """Let ssh answer with these states in turn, the last one again and again; return who was asked."""
    left, asked = list(states), list[str]()

    def probe(vm: Vm, *_: object) -> NodeState:
        asked.append(vm.name)
        return left.pop(0) if len(left) > 1 else left[0]

    monkeypatch.setattr(guest, "probe", probe)
    return asked


def test_nobody_logs_in_before_the_boot_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers(monkeypatch, BOOTING, READY)
    say(tmp_path, "")
    pauses = []

    def sleep(_: float) -> None:
        pauses.append(list(asked))
        if len(pauses) == 3:
            say(tmp_path, "boot-1")

    monkeypatch.setattr("time.sleep", sleep)
    assert guest.wait_ready(VM, tmp_path).ok
    assert pauses[:3] == [[], [], []] and asked == [VM.name] * 2


def test_a_guest_that_says_nothing_is_asked_once_when_patience_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answers(monkeypatch, SILENT)
    assert guest.announced(VM, tmp_path) == ""
    assert guest.wait_ready(VM, tmp_path, 0.01) == SILENT
    assert asked == [VM.name]


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run in the guest."""
    calls: list[list[str]] = []
    monkeypatch.setattr("subprocess.run", lambda command, **_: calls.append(command))
    return calls


def boots(monkeypatch: pytest.MonkeyPatch, *ids: str) -> Callable[[], str]:
    left = list(ids)
    monkeypatch.setattr(guest, "boot_id", lambda *_: left.pop(0) if len(left) > 1 else left[0])
    return lambda: left[0]


def test_a_reboot_is_over_with_the_next_boot_and_not_with_the_word_of_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ordered: list[list[str]]
) -> None:
    answers(monkeypatch, READY)
    boots(monkeypatch, "boot-1", "boot-2")
    say(tmp_path, "boot-1")
    with pytest.raises(RacewayError, match="has not rebooted"):
        guest.reboot(VM, tmp_path)
    boots(monkeypatch, "boot-1", "boot-2")
    say(tmp_path, "boot-2")
    assert guest.reboot(VM, tmp_path) >= 0
    assert [call[-2:] for call in ordered] == [["systemctl", "reboot"]] * 2


def test_a_word_of_another_boot_is_not_believed_before_ssh_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ordered: list[list[str]]
) -> None:
    answers(monkeypatch, READY)
    boots(monkeypatch, "boot-1")
    say(tmp_path, "boot-2")
    with pytest.raises(RacewayError, match="has not rebooted"):
        guest.reboot(VM, tmp_path)

"""The guard starts QEMU anew after a reboot, with what the guest left on its disk, and after nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from raceway.lab.record import Record, Vm
from raceway.lab.vm import guard

VM = Vm("vmlab-1", 26000)


@pytest.mark.parametrize(
    ("disk", "words"),
    [
        (b"", ""),
        (bytes(4096), ""),
        (b"hugepages=32  lab_test=1 \n" + bytes(4000), "hugepages=32 lab_test=1"),
        (b"a=1\0left over from before", "a=1"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_parameters_are_the_text_before_the_first_zero(disk: bytes, words: str) -> None:
    assert guard.own_parameters(disk) == words


def test_the_last_shutdown_event_tells_why() -> None:
    events = [
        {"QMP": {}},
        {"return": {}},
        {"event": "RESET", "data": {"reason": "x"}},
        {"event": "SHUTDOWN", "data": {"guest": True, "reason": "guest-reset"}},
    ]
    assert guard.reason([json.dumps(event) for event in events]) == "guest-reset"
    assert guard.reason([]) == ""


def kept(folder: Path, monkeypatch: pytest.MonkeyPatch, ends: list[tuple[int, str]]) -> tuple[int, list[str]]:
    monkeypatch.chdir(folder)
    home = folder / "nodes" / VM.name
    home.mkdir(parents=True)
    (home / "cmdline.raw").write_bytes(bytes(4096))
    boots: list[str] = []

    def run_once(command: list[str], parameters: str, address: str) -> tuple[int, str]:
        boots.append(parameters)
        (home / "cmdline.raw").write_bytes(b"after=reboot\n" + bytes(100))
        return ends[len(boots) - 1]

    monkeypatch.setattr(guard, "run_once", run_once)
    return guard.keep(Record("vmlab", "0123", image="abc", vms=(VM,)), VM), boots


def test_a_reboot_is_a_new_start_with_the_guests_own_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [(0, "guest-reset"), (0, "host-qmp-system-reset"), (0, "guest-shutdown")]
    code, boots = kept(tmp_path, monkeypatch, ends)
    assert code == 0
    assert [boot.endswith(" after=reboot") for boot in boots] == [False, True, True]


@pytest.mark.parametrize("end", [(0, "guest-shutdown"), (0, "host-qmp-quit"), (1, ""), (1, "guest-reset"), (-9, "")])
def test_anything_else_ends_the_guard_with_qemus_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: tuple[int, str]
) -> None:
    code, boots = kept(tmp_path, monkeypatch, [end])
    assert (code, len(boots)) == (end[0], 1)


STAND_IN = """
import json, socket, sys
words = sys.argv[1:]
address = words[words.index("-qmp") + 1].removeprefix("unix:").removesuffix(",server=off")
guard = socket.socket(socket.AF_UNIX)
guard.connect(address)
assert json.loads(guard.makefile().readline())["execute"] == "qmp_capabilities"
assert words[words.index("-action") + 1] == "reboot=shutdown"
why = words[words.index("-append") + 1]
guard.sendall(json.dumps({"event": "SHUTDOWN", "data": {"reason": why}}).encode() + b"\\n")
sys.exit(int(words[0]))
"""


@pytest.mark.allow("exec", reason="a stand-in for QEMU is a program")
@pytest.mark.parametrize("code", [0, 3])
def test_qemu_is_run_with_the_parameters_and_asked_why_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guard").write_text("left by a guard that was killed")
    assert guard.run_once([sys.executable, "-c", STAND_IN, str(code)], "a=1 b", "guard") == (code, "a=1 b")


@pytest.mark.allow("exec", reason="a stand-in for QEMU is a program")
def test_a_qemu_that_never_gets_to_its_socket_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert guard.run_once([sys.executable, "-c", "raise SystemExit(1)"], "", "guard") == (1, "")

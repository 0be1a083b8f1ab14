"""Writing a kernel setting: recorded before, read back after, given back on removal."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.outcome import Applying, Refused
from raceway.apply.sysctl import HANDLERS, prepare
from raceway.host import Ledger

from ..builders import FakeHost, make_step, make_tree

PATH = "vm/swappiness"


def make_run(folder: Path, value: str = "60\n") -> Applying:
    host = FakeHost(make_tree(folder, {f"/proc/sys/{PATH}": value}))
    return Applying(host, Ledger(host))


def test_the_original_is_on_disk_before_the_value_changes(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    step = make_step("sysctl", path=PATH, value="1", before="60")
    prepare(run, [step])
    assert Ledger(run.host).owned("sysctl") == {PATH: "60"}
    HANDLERS["sysctl"](run, step)
    assert run.host.read(f"/proc/sys/{PATH}") == "1\n"


def test_a_value_that_the_kernel_does_not_keep_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path)
    monkeypatch.setattr(run.host, "poke", lambda path, text: None)
    with pytest.raises(Refused, match="kept '60' instead of '1'"):
        HANDLERS["sysctl"](run, make_step("sysctl", path=PATH, value="1"))


def test_an_error_of_the_kernel_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path)

    def refuse(path: str, text: str) -> None:
        raise OSError(22, "Invalid argument", path)

    monkeypatch.setattr(run.host, "poke", refuse)
    with pytest.raises(Refused, match="Invalid argument"):
        HANDLERS["sysctl"](run, make_step("sysctl", path=PATH, value="fq"))


def test_case_x08_a_list_that_is_read_back_with_tabs_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path)
    monkeypatch.setattr(run.host, "read", lambda path: "4096\t1\t2\n")
    HANDLERS["sysctl"](run, make_step("sysctl", path=PATH, value="4096 1 2"))
    assert run.ledger.owned("sysctl")


def test_a_key_that_a_module_just_brought_is_recorded_when_it_is_written(tmp_path: Path) -> None:
    run, path = make_run(tmp_path), "net/bridge/bridge-nf-call-iptables"
    step = make_step("sysctl", path=path, value="0")
    prepare(run, [step])
    assert run.ledger.owned("sysctl") == {}
    make_tree(tmp_path, {f"/proc/sys/{path}": "1\n"})
    HANDLERS["sysctl"](run, step)
    assert Ledger(run.host).owned("sysctl") == {path: "1"}


def test_restoring_writes_the_original_and_forgets_it(tmp_path: Path) -> None:
    run = make_run(tmp_path, "1\n")
    run.ledger.remember("sysctl", PATH, "60")
    run.ledger.remember("sysctl", "gone", "1")
    HANDLERS["sysctl_restore"](run, make_step("sysctl_restore", path=PATH, value="60"))
    HANDLERS["sysctl_restore"](run, make_step("sysctl_restore", path="gone", value="1"))
    assert run.host.read(f"/proc/sys/{PATH}") == "60\n" and run.ledger.owned("sysctl") == {}

"""One VM's buttons: what is refused before QEMU is asked, and what QEMU is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab.processes import Process
from raceway.lab.record import Vm
from raceway.lab.vm import machine as module
from raceway.lab.vm.machine import GUARD, Machine
from raceway.lab.vm.spec import DEFAULT, fingerprint, identity

from ..builders import make_record

VM = Vm("vmlab-1", 26000)


class FakeQmp:
    """Remembers what QEMU was asked; ``lets_go`` is what the guest does with a drive."""

    def __init__(self, lets_go: bool = True) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.lets_go = lets_go

    def __call__(self, command: str, arguments: Any = None) -> Any:
        self.asked.append((command, arguments))
        return {"status": "paused"}

    def __enter__(self) -> FakeQmp:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def until(self, *_: object) -> bool:
        return self.lets_go


@pytest.fixture
def qmp(monkeypatch: pytest.MonkeyPatch) -> FakeQmp:
    fake = FakeQmp()
    monkeypatch.setattr(Machine, "qmp", lambda *_, **__: fake)
    return fake


def make_machine(folder: Path) -> Machine:
    return Machine(make_record(name="vmlab", image="abc", vms=(VM,)), folder, VM)


@pytest.mark.parametrize(("interface", "name"), [("data1", "data1"), ("roce0", "data0"), ("mgmt0", "mgmt0")])
def test_a_cable_is_pulled_at_the_nic_that_carries_the_port(
    tmp_path: Path, qmp: FakeQmp, interface: str, name: str
) -> None:
    make_machine(tmp_path).link(interface, up=False)
    assert qmp.asked == [("set_link", {"name": name, "up": False})]


@pytest.mark.parametrize("interface", ["eth0", "data2", "roce9", "", "data"])
def test_a_cable_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path, qmp: FakeQmp, interface: str) -> None:
    with pytest.raises(RacewayError, match="allowed: data0, data1, mgmt0"):
        make_machine(tmp_path).link(interface, up=True)
    assert qmp.asked == []


def test_a_drive_comes_back_to_its_slot_with_its_serial_and_file(tmp_path: Path, qmp: FakeQmp) -> None:
    one = make_machine(tmp_path)
    one.remove_drive(3)
    one.add_drive(3)
    commands = dict(qmp.asked)
    assert commands["device_del"] == {"id": "nvme3"}
    assert commands["blockdev-add"]["file"]["filename"] == "nodes/vmlab-1/nvme3.raw"
    added = commands["device_add"]
    assert (added["id"], added["bus"], added["serial"]) == ("nvme3", "rp3", identity("vmlab-1").drive(3))
    assert added["drive"] == commands["blockdev-add"]["node-name"]


@pytest.mark.parametrize("number", [-1, 4])
def test_a_drive_that_is_not_there_is_refused(tmp_path: Path, qmp: FakeQmp, number: int) -> None:
    for verb in (make_machine(tmp_path).remove_drive, make_machine(tmp_path).add_drive):
        with pytest.raises(RacewayError, match="allowed: 0 to 3"):
            verb(number)
    assert qmp.asked == []


def test_a_guest_that_holds_on_to_its_drive_is_told(tmp_path: Path, qmp: FakeQmp) -> None:
    qmp.lets_go = False
    with pytest.raises(RacewayError, match="did not let go"):
        make_machine(tmp_path).remove_drive(0)


def test_disks_count_only_when_the_last_file_of_the_right_spec_is_there(tmp_path: Path) -> None:
    one = make_machine(tmp_path)
    assert not one.is_made()
    one.home.mkdir(parents=True)
    (one.home / "made").write_text(fingerprint(DEFAULT, "another image"))
    assert not one.is_made()
    (one.home / "made").write_text(fingerprint(DEFAULT, "abc"))
    assert one.is_made()


def test_only_its_own_guard_and_qemu_are_a_vms_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = [
        Process(1, 1, ("python", "-m", GUARD, "/lab", "vmlab-1")),
        Process(2, 1, ("python", "-m", GUARD, "/lab", "vmlab-10")),
        Process(3, 1, ("qemu-system-x86_64", "-name", "vmlab-1", "-m", "2048")),
        Process(4, 1, ("qemu-system-x86_64", "-name", "vmlab-10")),
        Process(5, 1, ("python", "-m", "raceway.lab.vm.switch", "/lab")),
    ]
    monkeypatch.setattr(module.processes, "of_lab", lambda _: table)
    assert [one.pid for one in make_machine(tmp_path).processes()] == [1, 3]


def test_what_is_on_is_not_started_and_what_has_no_disks_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_machine(tmp_path)
    monkeypatch.setattr(module.processes, "of_lab", lambda _: [])
    with pytest.raises(RacewayError, match=r"has no disks.*lab up --vm"):
        one.start()
    monkeypatch.setattr(Machine, "is_on", lambda _: True)
    with pytest.raises(RacewayError, match="runs already"):
        one.start()


def test_the_state_is_qemus_own_word_off_without_a_guard_missing_without_disks(
    tmp_path: Path, qmp: FakeQmp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_machine(tmp_path)
    monkeypatch.setattr(Machine, "is_on", lambda _: False)
    assert one.state() == "missing"
    monkeypatch.setattr(Machine, "is_made", lambda _: True)
    assert one.state() == "off"
    monkeypatch.setattr(Machine, "is_on", lambda _: True)
    assert one.state() == "paused"

"""A lab of VMs is decided and written down first; what runs is left alone, what is surplus goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import Lab, record
from raceway.lab.record import Record, Vm
from raceway.lab.vm import VmLab
from raceway.lab.vm import lab as module

from ..builders import make_node, make_record


class Killed(Exception):
    """Stands for a kill at the first thing made."""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VmLab:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module.requirements, "check_vm", lambda *_: None)
    monkeypatch.setattr(module.requirements, "check_memory", lambda *_: None)
    monkeypatch.setattr(module.ports, "is_free", lambda _: True)

    def kill(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(module.image, "ensure", kill)
    return VmLab("vmlab")


def planned(lab: VmLab, *words: Any) -> Record:
    with pytest.raises(Killed):
        lab.up(*words)
    known = lab.record
    assert known
    return known


def test_the_record_is_complete_before_the_first_thing_is_made(lab: VmLab) -> None:
    known = planned(lab, 3)
    assert [vm.name for vm in known.vms] == ["vmlab-1", "vmlab-2", "vmlab-3"]
    assert [vm.port for vm in known.vms] == [26000, 26001, 26002]
    assert known.image == module.image.key()


def test_up_again_keeps_id_ports_and_number(lab: VmLab) -> None:
    first = planned(lab, 3)
    assert planned(lab) == first
    assert len(planned(VmLab("other")).vms) == 2


def test_no_two_labs_share_a_port_whatever_their_kind(lab: VmLab) -> None:
    record.save(record.labs_dir() / "lab" / "lab.json", make_record(ports={"etcd": 26000}))
    first, second = planned(lab), planned(VmLab("other"))
    ports = [*(vm.port for vm in first.vms), *(vm.port for vm in second.vms), 26000]
    assert len(set(ports)) == 5
    assert first.reserved_ports == {vm.port for vm in first.vms}


def test_a_port_that_another_program_took_is_given_up_and_the_others_stay(
    lab: VmLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = planned(lab)
    monkeypatch.setattr(module.ports, "is_free", lambda port: port != first.vms[0].port)
    again = planned(lab)
    assert again.vms[1] == first.vms[1]
    assert again.vms[0].port not in {vm.port for vm in first.vms}


def test_a_running_vm_keeps_its_port_which_it_listens_on_itself(lab: VmLab, monkeypatch: pytest.MonkeyPatch) -> None:
    first = planned(lab)
    monkeypatch.setattr(module.ports, "is_free", lambda _: False)
    monkeypatch.setattr(module.Machine, "is_on", lambda _: True)
    assert planned(lab) == first


def test_a_surplus_vm_goes_with_its_disks_and_keys(lab: VmLab) -> None:
    planned(lab, 2)
    disks, keys = lab.folder / "nodes" / "vmlab-2", lab.folder / "ssh" / "nodes" / "vmlab-2"
    for folder in (disks, keys):
        folder.mkdir(parents=True)
    assert len(planned(lab, 1).vms) == 1
    assert not disks.exists()
    assert not keys.exists()


@pytest.mark.parametrize("count", [0, 21])
def test_a_number_of_vms_no_lab_can_have_is_refused(lab: VmLab, count: int) -> None:
    with pytest.raises(RacewayError, match="1 to 20"):
        lab.up(count)


def test_memory_is_asked_for_the_vms_that_do_not_run_yet(lab: VmLab, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(lab, 3)
    asked: list[int] = []
    monkeypatch.setattr(module.requirements, "check_memory", asked.append)
    monkeypatch.setattr(module.Machine, "is_on", lambda one: one.vm.name == "vmlab-1")
    planned(lab, 4)
    assert asked == [3]


def test_a_lab_has_nodes_of_one_kind(lab: VmLab, monkeypatch: pytest.MonkeyPatch) -> None:
    record.save(lab.folder / "lab.json", make_record(name="vmlab", nodes=(make_node(1),), ports={}))
    with pytest.raises(RacewayError, match="has container nodes"):
        lab.up()
    record.save(lab.folder / "lab.json", make_record(name="vmlab", nodes=(), ports={}, vms=(Vm("vmlab-1", 26000),)))
    monkeypatch.setattr("raceway.lab.requirements.check", lambda *_: None)
    with pytest.raises(RacewayError, match=r"has 1 VM nodes.*--vm"):
        Lab("vmlab").up()


def test_the_kind_of_a_lab_is_known_from_its_record_and_without_one_from_its_folder(lab: VmLab) -> None:
    assert not VmLab.owns("vmlab")
    planned(lab)
    assert VmLab.owns("vmlab")
    record.save(record.labs_dir() / "lab" / "lab.json", make_record())
    assert not VmLab.owns("lab")
    (lab.folder / "lab.json").write_text("{")
    assert not VmLab.owns("vmlab")
    (lab.folder / "image").mkdir()
    assert VmLab.owns("vmlab")


def test_a_node_that_is_not_there_is_told_with_those_that_are(lab: VmLab) -> None:
    planned(lab, 2)
    with pytest.raises(RacewayError, match="vmlab-3; allowed: vmlab-1, vmlab-2"):
        lab.machine("vmlab-3")


def test_down_removes_folder_and_lock_and_leaves_other_labs_alone(lab: VmLab, tmp_path: Path) -> None:
    planned(lab, 2)
    planned(VmLab("other"))
    (lab.folder / "nodes" / "vmlab-1").mkdir(parents=True)
    assert lab.down() == {"processes": 0, "machines": 1, "images": 0}
    assert sorted(path.name for path in (tmp_path / "labs").iterdir()) == [".lock", ".other.lock", "other"]
    assert lab.down() == {"processes": 0, "machines": 0, "images": 0}

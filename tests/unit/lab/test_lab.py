"""What a lab will consist of is decided and written down before any of it is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import Lab, record
from raceway.lab import lab as module
from raceway.lab.record import Record
from raceway.model.machine import Machine


class Killed(Exception):
    """Stands for a kill at the first thing made."""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    monkeypatch.setattr(module.requirements, "check", lambda *_: None)
    monkeypatch.setattr(module.nodes, "used_networks", lambda _: ["10.213.0.0/24"])
    monkeypatch.setattr(module.nodes, "network_exists", lambda *_: False)

    def kill(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(module.nodes, "wait_for_strays", kill)
    monkeypatch.setattr(module, "ensure", kill)
    return Lab("lab")


def planned(lab: Lab, *words: Any, **more: Any) -> Record:
    with pytest.raises(Killed):
        lab.up(*words, **more)
    known = lab.record
    assert known
    return known


def test_the_record_is_complete_before_the_first_thing_is_made(lab: Lab) -> None:
    known = planned(lab, 3)
    assert [node.container for node in known.nodes] == [f"raceway-lab-lab-{index}" for index in (1, 2, 3)]
    assert (known.subnet, known.network) == ("10.213.1.0/24", "raceway-lab")
    assert [machine["name"] for machine in known.machines] == ["lab-1", "lab-2", "lab-3"]
    assert lab.folder.stat().st_mode & 0o777 == 0o700


def test_up_again_keeps_id_subnet_and_number_of_nodes(lab: Lab) -> None:
    first = planned(lab, 3)
    assert planned(lab) == first


def test_a_subnet_taken_before_the_network_was_made_is_given_up(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(lab)
    monkeypatch.setattr(module.nodes, "used_networks", lambda _: ["10.213.0.0/23"])
    assert planned(lab).subnet == "10.213.2.0/24"
    monkeypatch.setattr(module.nodes, "network_exists", lambda *_: True)
    monkeypatch.setattr(module.nodes, "used_networks", lambda _: ["10.213.2.0/24"])
    assert planned(lab).subnet == "10.213.2.0/24"


def test_a_lab_with_containers_is_not_forgotten_because_podman_is_gone(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(lab)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(RacewayError, match="podman is gone"):
        lab.down()
    assert lab.record


def test_two_nodes_unless_told_otherwise(lab: Lab) -> None:
    assert len(planned(lab).nodes) == 2


def test_other_labs_subnets_are_not_taken(lab: Lab) -> None:
    first = planned(lab)
    assert planned(Lab("other")).subnet not in (first.subnet, "10.213.0.0/24")


def test_machines_given_once_stay_until_others_are_given(lab: Lab) -> None:
    given = [Machine("node1", taints=("a=b:NoSchedule",)), Machine("node2")]
    first = planned(lab, machines=given, containers=False)
    assert [machine["name"] for machine in first.machines] == ["node1", "node2"]
    assert first.nodes == ()
    assert planned(lab, containers=False).machines == first.machines


def test_without_containers_the_fake_nodes_are_as_many_as_asked_for(lab: Lab) -> None:
    known = planned(lab, 5, containers=False)
    assert [machine["name"] for machine in known.machines] == [f"lab-{index}" for index in range(1, 6)]
    assert planned(lab, containers=False).machines == known.machines


def test_a_lab_of_another_user_is_not_touched(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    record.save(lab.folder / "lab.json", record.new("lab"))
    monkeypatch.setattr("os.geteuid", lambda: 4242)
    for call in (lab.up, lab.down, lab.status):
        with pytest.raises(RacewayError, match="belongs to uid"):
            call()


def test_status_and_down_of_no_lab_do_nothing(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert not lab.status().exists
    assert not any(lab.down().values())
    assert list(tmp_path.iterdir()) == []

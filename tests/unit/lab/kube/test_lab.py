"""A lab of Kubernetes nodes is decided and written down first, and what it is for does not change under it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import Lab, record
from raceway.lab.kube import KubeLab
from raceway.lab.kube import lab as module
from raceway.lab.record import Record

from ..builders import make_node, make_record


class Killed(Exception):
    """Stands for a kill at the first thing made."""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KubeLab:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module.requirements, "check", lambda *_: None)
    monkeypatch.setattr(module.needs, "check", lambda: None)
    monkeypatch.setattr(module.nodes, "used_networks", lambda _: ["10.213.0.0/24"])
    monkeypatch.setattr(module.nodes, "network_exists", lambda *_: False)

    def kill(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(module.given, "prepare", kill)
    return KubeLab("kubelab")


def planned(lab: KubeLab, *words: Any) -> Record:
    with pytest.raises(Killed):
        lab.up(*words)
    known = lab.record
    assert known
    return known


def test_three_nodes_one_of_them_for_the_control_plane_unless_told_otherwise(lab: KubeLab) -> None:
    known = planned(lab)
    assert [node.name for node in known.nodes] == ["kubelab-1", "kubelab-2", "kubelab-3"]
    assert (known.control_planes, known.subnet) == (1, "10.213.1.0/24")
    assert known.image == module.image.KUBE_NODE.tag()


def test_up_again_keeps_everything_and_may_add_nodes(lab: KubeLab) -> None:
    first = planned(lab, 3, 3)
    assert planned(lab) == first
    assert len(planned(lab, 5).nodes) == 5


def test_a_network_taken_while_images_were_made_is_given_up(lab: KubeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(*_: Any) -> module.given.Given:
        monkeypatch.setattr(module.nodes, "used_networks", lambda _: ["10.213.0.0/23"])
        return module.given.Given()

    def kill(*_: Any) -> None:
        raise Killed

    assert planned(lab).subnet == "10.213.1.0/24"
    monkeypatch.setattr(module.given, "prepare", meanwhile)
    monkeypatch.setattr(module.image, "ensure", lambda *_: "")
    monkeypatch.setattr(module.nodes, "wait_for_strays", kill)
    assert planned(lab).subnet == "10.213.2.0/24"


@pytest.mark.parametrize(("count", "control_planes"), [(0, None), (41, None), (2, 3), (2, 0)])
def test_numbers_that_make_no_cluster_are_refused(lab: KubeLab, count: int, control_planes: int | None) -> None:
    with pytest.raises(RacewayError, match="allowed: 1 to"):
        lab.up(count, control_planes)


def test_what_a_node_is_for_does_not_change_while_the_lab_is_there(lab: KubeLab) -> None:
    planned(lab, 3, 1)
    with pytest.raises(RacewayError, match="raceway lab down"):
        lab.up(3, 3)


def test_a_lab_has_nodes_of_one_kind(lab: KubeLab) -> None:
    planned(lab)
    with pytest.raises(RacewayError, match=r"Kubernetes nodes.*--kubernetes"):
        Lab("kubelab").up()
    record.save(lab.folder / "lab.json", make_record(name="kubelab", nodes=(make_node(1),), ports={}))
    with pytest.raises(RacewayError, match="another kind"):
        lab.up()


def test_the_kind_of_a_lab_is_known_from_its_record_and_without_one_from_its_folder(lab: KubeLab) -> None:
    assert not KubeLab.owns("kubelab")
    planned(lab)
    assert KubeLab.owns("kubelab")
    record.save(record.labs_dir() / "lab" / "lab.json", make_record())
    assert not KubeLab.owns("lab")
    (lab.folder / "lab.json").write_text("{")
    assert not KubeLab.owns("kubelab")
    (lab.folder / "kube").mkdir()
    assert KubeLab.owns("kubelab")


def answers(monkeypatch: pytest.MonkeyPatch, text: dict[str, str]) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        node = next(word for word in command if word.startswith("kubelab-"))
        return subprocess.CompletedProcess(command, 0 if node in text else 255, text.get(node, ""), "")

    monkeypatch.setattr("subprocess.run", run)


def test_the_kubeconfig_comes_from_any_control_plane_node_that_has_one(
    lab: KubeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(lab, 4, 3)
    answers(monkeypatch, {"kubelab-2": "clusters: []\n"})
    assert lab.fetch_kubeconfig().read_text() == "clusters: []\n"
    assert lab.kubeconfig.stat().st_mode & 0o777 == 0o600


def test_before_there_is_a_cluster_it_is_said_how_to_make_one(lab: KubeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(lab, 2, 1)
    answers(monkeypatch, {"kubelab-2": "clusters: []\n"})
    with pytest.raises(RacewayError, match=r"kubelab-1.*ansible-playbook -i inventories/lab site\.yml"):
        lab.fetch_kubeconfig()


def test_down_gives_the_host_back_what_its_nodes_changed(lab: KubeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(lab)
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(lab, "_remove_nodes", lambda _: (3, 1))
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(module.host, "remove_groups", lambda prefix, _: asked.append(("groups", prefix)))
    monkeypatch.setattr(module.host, "give_back", lambda folder: asked.append(("values", folder.name)) or [])
    assert lab.down()["containers"] == 3
    assert asked == [("groups", "raceway-kubelab-kubelab-"), ("values", "kubelab")]
    assert not lab.folder.exists()

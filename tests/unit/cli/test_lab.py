"""The words of ``raceway lab``: what each asks of the lab, what it prints, its exit code."""

from __future__ import annotations

import argparse
import json
from typing import Any, ClassVar

import pytest

from raceway.cli import lab as cli
from raceway.errors import RacewayError
from raceway.lab.nodes import NodeState
from raceway.lab.status import ProgramState, Status


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    cli.configure(parser)
    return parser.parse_args(list(words))


class FakeLab:
    """Remembers what was asked of it."""

    asked: ClassVar[list[tuple[str, Any]]] = []
    answer = Status("lab", "/state/labs/lab", False)

    def __init__(self, name: str, show: bool) -> None:
        self.name, self.ssh_config, self.kubeconfig = name, "/state/ssh/config", "/state/kubeconfig"

    def prepare(self) -> None:
        FakeLab.asked.append(("prepare", None))

    def up(self, *words: Any, **more: Any) -> None:
        FakeLab.asked.append(("up", (words, more)))

    def status(self) -> Status:
        return FakeLab.answer

    def down(self, image_too: bool) -> dict[str, int]:
        FakeLab.asked.append(("down", image_too))
        return {"processes": 5, "containers": 2, "networks": 1, "images": 0}


class FakeMachine:
    """Remembers which button was pressed."""

    def __getattr__(self, verb: str) -> Any:
        return lambda *words, **more: FakeLab.asked.append((verb, (*words, *more.values())))


class FakeVmLab(FakeLab):
    """A lab of VMs: all that ``owns`` is asked for is one, by the name it begins with."""

    @staticmethod
    def owns(name: str) -> bool:
        return name.startswith("vm")

    def machine(self, node: str) -> FakeMachine:
        FakeLab.asked.append(("machine", (self.name, node)))
        return FakeMachine()

    def reboot(self, node: str) -> float:
        FakeLab.asked.append(("reboot", node))
        return 21.4

    def start(self, node: str) -> float:
        FakeLab.asked.append(("start", node))
        return 14.0


class FakeKubeLab(FakeLab):
    """A lab of Kubernetes nodes, told by the name it begins with."""

    @staticmethod
    def owns(name: str) -> bool:
        return name.startswith("kube")

    def fetch_kubeconfig(self) -> str:
        FakeLab.asked.append(("kubeconfig", self.name))
        return "/state/kubeconfig"


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeLab.asked = []
    monkeypatch.setattr(cli, "Lab", FakeLab)
    monkeypatch.setattr(cli, "VmLab", FakeVmLab)
    monkeypatch.setattr(cli, "KubeLab", FakeKubeLab)


def test_prepare_makes_no_lab(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("prepare")) == 0
    assert FakeLab.asked == [("prepare", None)]
    assert "container nodes need" in capsys.readouterr().out


def test_up_hands_its_words_on() -> None:
    assert cli.run(parse("up", "--nodes", "3", "--no-cluster", "--install-missing")) == 0
    [(_, (words, more))] = FakeLab.asked
    assert words == (3, None)
    assert more == {"containers": True, "cluster": False, "install_missing": True}


@pytest.mark.parametrize("count", ["-1", "241", "two"])
def test_a_number_of_nodes_out_of_range_is_refused_before_anything(count: str) -> None:
    with pytest.raises(SystemExit) as caught:
        parse("up", "--nodes", count)
    assert caught.value.code == 2


def test_down_says_what_it_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("down", "--name", "x", "--image")) == 0
    assert FakeLab.asked == [("down", True)]
    assert capsys.readouterr().out == "lab x: removed 5 processes, 2 containers, 1 networks\n"


def test_vms_are_asked_for_by_a_flag_and_have_a_name_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("up", "--vm", "--nodes", "3")) == 0
    assert FakeLab.asked == [("up", ((3,), {"install_missing": False}))]
    told = capsys.readouterr().out
    assert "RACEWAY_LAB=vmlab ansible-inventory -i inventories/vmlab" in told
    assert "raceway lab down --name vmlab" in told


@pytest.mark.parametrize("word", ["--no-nodes", "--inventory=inventories/example-roce"])
def test_words_of_the_control_plane_do_not_go_with_vms(word: str) -> None:
    with pytest.raises(RacewayError, match="no control plane"):
        cli.run(parse("up", "--vm", word))
    with pytest.raises(RacewayError, match="on its nodes"):
        cli.run(parse("up", "--kubernetes", word))
    assert FakeLab.asked == []


def test_kubernetes_nodes_are_asked_for_by_a_flag_and_the_next_commands_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.run(parse("up", "--kubernetes", "--nodes", "5", "--control-planes", "3")) == 0
    assert FakeLab.asked == [("up", ((5, 3), {"install_missing": False}))]
    told = capsys.readouterr().out
    assert "RACEWAY_LAB=kubelab ansible-playbook -i inventories/lab site.yml" in told
    assert "raceway lab kubeconfig kubelab" in told


@pytest.mark.parametrize("words", [["--control-planes", "3"], ["--vm", "--kubernetes"]])
def test_words_of_kubernetes_nodes_do_not_go_with_other_nodes(words: list[str]) -> None:
    with pytest.raises(RacewayError, match="--kubernetes"):
        cli.run(parse("up", *words))
    assert FakeLab.asked == []


def test_the_place_of_the_kubeconfig_is_all_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("kubeconfig", "kube-of-mine")) == 0
    assert capsys.readouterr().out == "/state/kubeconfig\n"
    assert cli.run(parse("kubeconfig")) == 0
    assert FakeLab.asked == [("kubeconfig", "kube-of-mine"), ("kubeconfig", "kubelab")]


def test_the_kind_of_a_lab_need_not_be_said_to_look_at_it_or_to_end_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FakeVmLab, "down", lambda *_, **__: {"machines": 2})
    assert cli.run(parse("down", "--name", "vm-of-mine")) == 0
    assert capsys.readouterr().out == "lab vm-of-mine: removed 2 machines\n"


@pytest.mark.parametrize(
    ("words", "asked", "told"),
    [
        (["reboot"], ("reboot", "vm-a-1"), "has rebooted in 21 s"),
        (["start"], ("start", "vm-a-1"), "has booted in 14 s"),
        (["cut"], ("cut", ()), "is off"),
        (["reset"], ("reset", ()), "was reset"),
        (["link", "roce0", "down"], ("link", ("roce0", False)), "roce0 is down"),
        (["link", "data1", "up"], ("link", ("data1", True)), "data1 is up"),
        (["nvme-rm", "2"], ("remove_drive", (2,)), "drive 2 is out"),
        (["nvme-add", "2"], ("add_drive", (2,)), "drive 2 is in"),
    ],
)
def test_a_button_is_pressed_on_the_node_of_the_lab_it_is_called_after(
    words: list[str], asked: tuple[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(parse("vm", "vm-a-1", *words)) == 0
    assert FakeLab.asked == [("machine", ("vm-a", "vm-a-1")), asked]
    assert capsys.readouterr().out == f"vm-a-1: {told}\n"


def test_a_node_is_looked_for_in_the_lab_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("vm", "--name", "other", "vm-a-1", "cut")) == 0
    assert FakeLab.asked[0] == ("machine", ("other", "vm-a-1"))
    assert "is off" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_arguments_of_a_qmp_command_are_one_json_object(text: str) -> None:
    with pytest.raises(SystemExit) as caught:
        parse("vm", "vmlab-1", "qmp", "query-status", text)
    assert caught.value.code == 2


def make_status(program: str = "healthy", system: str = "running") -> Status:
    node = NodeState("lab-1", "raceway-lab-lab-1", "10.213.0.11", "running", system != "", system)
    one = ProgramState("etcd", program, 7, 26000, 0, "why")
    return Status("lab", "/state/labs/lab", True, (node,), (one,), "v1.35.4", 2)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (make_status(), 0),
        (make_status(program="waiting"), 0),
        (make_status(system="degraded"), 0),
        (make_status(program="down"), 1),
        (make_status(program="unhealthy"), 1),
        (make_status(system=""), 1),
        (make_status(system="starting"), 1),
        (Status("lab", "/state/labs/lab", False), 1),
    ],
)
def test_status_exits_1_when_something_is_down(status: Status, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLab, "answer", status)
    assert cli.run(parse("status")) == code
    assert cli.run(parse("status", "--json")) == code


def test_status_prints_every_node_and_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FakeLab, "answer", make_status(program="down"))
    cli.run(parse("status"))
    told = capsys.readouterr().out
    for word in ("lab-1", "10.213.0.11", "etcd", "down", "26000", "v1.35.4", "fake nodes: 2"):
        assert word in told
    cli.run(parse("status", "--json"))
    assert json.loads(capsys.readouterr().out)["programs"][0]["state"] == "down"

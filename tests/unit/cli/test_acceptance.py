"""``raceway acceptance``: a sweep before it is run, and one that has been."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import raceway.cli.acceptance  # noqa: F401 - its import starts ldconfig, which no test may
from raceway.acceptance import model, store
from raceway.cli.main import main

from ..acceptance.builders import answers, good, make_sweep, slow

HOSTS = """\
nodes:
  vars:
    raceway_roles: [node, acceptance]
    acceptance_line_rate_gbps: 400
  hosts:
    a: {acceptance_ports: [{rail: 0, address: 10.0.0.1}, {rail: 1, address: 10.0.1.1}]}
    b: {acceptance_ports: [{rail: 0, address: 10.0.0.2}, {rail: 1, address: 10.0.1.2}]}
    c: {acceptance_ports: [{rail: 0, address: 10.0.0.3}]}
    service:
"""


def write(folder: Path, text: str = HOSTS) -> str:
    path = folder / "hosts.yml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def sweep_in(folder: Path, is_slow: bool) -> Path:
    sweep = make_sweep(3)
    store._write(folder / "sweep.json", model.to_json(sweep))
    figures = slow(lambda a, _: a == "gpu02") if is_slow else good
    for host, rows in answers(sweep, figures).items():
        store.keep_answer(folder, host, 0, rows)
    return folder


def test_the_plan_shows_rounds_time_and_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["acceptance", "plan", "-i", write(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "5 ports of 3 nodes on 2 rails: 4 pairs in 3 rounds, about 51 s or more"
    assert "rail 0 round 1: b–c; a has a rest" in lines and "rail 1 round 1: a–b" in lines
    assert any(line.startswith("why: ") for line in lines)


def test_the_plan_as_data_names_every_port(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["acceptance", "plan", "--json", "-i", write(tmp_path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["rounds"], data["pairs"], data["left_out"]) == (3, 4, [])
    assert data["rails"][1] == {"rail": 1, "ports": ["a rail 1", "b rail 1"], "rounds": 1}


def test_a_port_that_is_left_out_is_named_and_the_exit_code_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["acceptance", "plan", "-i", write(tmp_path, HOSTS.replace(", address: 10.0.1.2", ""))]) == 1
    out = capsys.readouterr().out
    assert "left out: b rail 1: it is declared without address" in out
    assert "left out: a rail 1: it is the only port of its rail that can be measured" in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "acceptance_line_rate_gbps: 400",
            "acceptance_line_rate_gbps: 0",
            "a acceptance_ports: rail 0 has no line rate",
        ),
        ("acceptance_ports", "node_labels", "node_labels"),
        ("raceway_roles", "acceptance_fraction: 7\n    raceway_roles", "acceptance_fraction: 7"),
        (
            "service:",
            "service: {acceptance_seconds: 9, acceptance_ports: [{rail: 0, address: 10.0.0.9}]}",
            "service has 9",
        ),
    ],
)
def test_what_cannot_be_planned_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    assert main(["acceptance", "plan", "-i", write(tmp_path, HOSTS.replace(old, new))]) == 2
    assert said in capsys.readouterr().err


def test_a_sweep_that_was_measured_is_shown_with_its_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["acceptance", "show", str(sweep_in(tmp_path, is_slow=False))]) == 0
    assert "passed: 9 measurements pass" in capsys.readouterr().out
    assert main(["acceptance", "show", str(sweep_in(tmp_path, is_slow=True))]) == 1
    assert "port: gpu02 rail 0: it sends too slowly" in capsys.readouterr().out
    assert main(["acceptance", "show", "--json", str(tmp_path)]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "failed"


def test_another_folder_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["acceptance", "show", str(tmp_path)]) == 2
    assert "there is no sweep.json in it" in capsys.readouterr().err

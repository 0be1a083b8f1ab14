"""The folder of a sweep, from the looks of nodes to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceway.acceptance import store
from raceway.acceptance.declared import from_given
from raceway.errors import RacewayError

from .builders import answers, good, slow

FOUND = {"interface": "ens1", "device": "mlx5_3", "ib_port": 1, "gid_index": 5, "rate_gbps": 400.0, "problem": ""}
TOOLS = ["ib_write_bw", "ib_send_lat"]


def look(folder: Path, host: str, number: int, problem: str = "") -> None:
    ports = [{"rail": 0, "address": f"10.0.0.{number}"}]
    own = from_given({"acceptance_ports": ports, "acceptance_line_rate_gbps": 400}, host)
    store.keep_look(folder, own, [{"rail": 0, "tools": TOOLS, **FOUND, "problem": problem}])


def test_each_sweep_has_a_folder_of_its_own(tmp_path: Path) -> None:
    first, second = store.new(str(tmp_path / "out"), 0), store.new(str(tmp_path / "out"), 0)
    assert first.name == "19700101T000000Z" and second.name == "19700101T000000Z-1" and second.is_dir()


def test_a_sweep_is_planned_measured_and_judged_through_its_folder(tmp_path: Path) -> None:
    for number, host in enumerate(("a", "b", "c"), 1):
        look(tmp_path, host, number)
    sweep = store.plan(tmp_path, ["a", "b", "c"])
    assert store.load(tmp_path) == sweep and next(iter(sweep.ports)).device == "mlx5_3"
    for host, rows in answers(sweep, slow(lambda a, _: a == "b")).items():
        store.keep_answer(tmp_path, host, 0, rows)
    verdict = store.conclude(tmp_path)[2]
    written = json.loads((tmp_path / "fabric.json").read_text(encoding="utf-8"))
    assert verdict.word == written["verdict"] == "failed" and written["findings"][0]["name"] == "b rail 0"
    assert len(written["cells"]) == 9 and "!40" in (tmp_path / "matrix.txt").read_text(encoding="utf-8")


def test_a_silent_node_and_a_port_in_trouble_are_left_out_and_the_rest_is_planned(tmp_path: Path) -> None:
    look(tmp_path, "a", 1)
    look(tmp_path, "b", 2)
    look(tmp_path, "c", 3, problem="mlx5_0/1 is DOWN, Polling")
    sweep = store.plan(tmp_path, ["a", "b", "c", "d"])
    assert sweep.hosts == ("a", "b")
    assert [(one.name, one.reason) for one in sweep.left_out] == [
        ("d", "no answer from this node"),
        ("c rail 0", "mlx5_0/1 is DOWN, Polling"),
    ]


def test_one_node_alone_is_one_message_and_no_plan(tmp_path: Path) -> None:
    look(tmp_path, "a", 1)
    with pytest.raises(RacewayError, match="no pair can be measured: a rail 0: it is the only port of its rail"):
        store.plan(tmp_path, ["a"])
    with pytest.raises(RacewayError, match=r"there is no sweep\.json"):
        store.load(tmp_path)


def test_a_sweep_that_was_interrupted_is_judged_and_does_not_pass(tmp_path: Path) -> None:
    for number, host in enumerate(("a", "b", "c"), 1):
        look(tmp_path, host, number)
    sweep = store.plan(tmp_path, ["a", "b", "c"])
    store.keep_answer(tmp_path, "a", 0, answers(sweep, good)["a"])
    _, _, verdict = store.conclude(tmp_path)
    assert verdict.word == "incomplete" and verdict.counts["ok"] > 0


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text('{"format": 1, "ra', encoding="utf-8")
    with pytest.raises(RacewayError, match=r"sweep\.json: no JSON"):
        store.load(tmp_path)
    (tmp_path / "sweep.json").write_text('{"format": 7}', encoding="utf-8")
    with pytest.raises(RacewayError, match="format 7"):
        store.load(tmp_path)

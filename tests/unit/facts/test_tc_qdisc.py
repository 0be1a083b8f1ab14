"""Pasted output of ``tc qdisc show``, as text and as JSON."""

from __future__ import annotations

from raceway.facts.qdisc import Qdisc
from raceway.facts.tc_qdisc import Qdiscs, parse

from ..builders import CASES


def _read(name: str) -> Qdiscs:
    return parse((CASES / "tc_qdisc" / name).read_text(encoding="utf-8"))


def test_the_children_of_mq_are_found_in_both_forms() -> None:
    wanted = Qdisc("mq", "0:", ((":1", "fq"), (":2", "fq")))
    text, data = _read("normal.txt"), _read("normal.json")
    assert text.roots["eth0"] == data.roots["eth0"] == wanted
    assert text.roots["lo"].kind == "noqueue" and text.problem == data.problem == ""


def test_an_older_default_is_read() -> None:
    assert _read("older.txt").roots == {"eth0": Qdisc("pfifo_fast")}


def test_rows_before_a_cut_are_kept_and_the_cut_is_told() -> None:
    found = _read("truncated.json")
    assert found.roots["eth0"].children == () and "cut off" in found.problem


def test_errors_silence_and_foreign_text_give_no_root() -> None:
    assert _read("error.txt").problem == 'Cannot find device "eth9"'
    assert _read("empty.txt").problem == "printed nothing"
    assert parse("hello").problem == "this is no output of tc qdisc show: hello"
    assert parse('{"a": 1}').problem == "cut off: a row of nothing known"

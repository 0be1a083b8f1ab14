"""Output of ``ip -N -j rule show``: rules by one source, and tables that other rules look in."""

from __future__ import annotations

from raceway.facts.ip_rule import parse
from raceway.model.route import Rule

from ..builders import CASES


def _text(name: str) -> str:
    return (CASES / "ip_rule" / name).read_text(encoding="utf-8")


def test_rules_by_source_are_kept_apart_from_those_that_look_at_more() -> None:
    found = parse(_text("normal.json"))
    one, two = Rule(1000, "10.1.0.11/32", 1000), Rule(1001, "10.2.0.0/24", 1001)
    assert found.rules == (one, two, Rule(1002, "fd02::11/128", 1002))
    assert (900, 900) in found.others and (32766, 254) in found.others


def test_names_of_the_kernel_s_tables_are_their_numbers_and_others_are_left_out() -> None:
    found = parse(_text("older.json"))
    assert [table for _, table in found.others] == [255, 254, 253]
    assert [rule.table for rule in found.rules] == [1000] and found.problem == ""


def test_an_entry_without_its_parts_and_no_entry_are_told() -> None:
    assert parse('[{"priority": 1}]').problem == "an entry without priority or source"
    assert parse("[]").problem == "there is no rule"

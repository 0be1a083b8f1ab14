"""Words, numbers and damaged JSON as tools print them."""

from __future__ import annotations

import pytest

from raceway.facts import reading


def test_lines_lose_colours_carriage_returns_and_blank_lines() -> None:
    assert reading.lines("\x1b[1mDEV\x1b(B\x1b[m  \r\n\r\n\tState: Active\n") == ["DEV", "\tState: Active"]


@pytest.mark.parametrize("word", ["N/A (no PMA)", "", " ", "1.5", "0x", "twelve", "1 2", None, True])
def test_what_is_no_whole_number_is_none_and_never_zero(word: object) -> None:
    assert reading.number(word) is None


def test_numbers_are_read_in_decimal_and_with_0x() -> None:
    assert [reading.number(word) for word in ("0", " 17\n", "0x3457", "-1", 5, "007")] == [0, 17, 0x3457, -1, 5, 7]


def test_nan_and_infinity_are_no_numbers() -> None:
    assert [reading.decimal(word) for word in ("nan", "-inf", "N/A", True, "2.5", 1)] == [None] * 4 + [2.5, 1.0]


def test_only_on_off_true_false_are_switches() -> None:
    assert [reading.switch(word) for word in ("on", "OFF", True, "true", "unchecked", None)] == [
        True,
        False,
        True,
        True,
        None,
        None,
    ]


def test_a_guid_is_the_same_from_every_tool_and_a_zero_one_is_none() -> None:
    same = {reading.guid(text) for text in ("0x946DAE0300731800", "946d:ae03:0073:1800\n", "946dae0300731800")}
    assert same == {"946dae0300731800"}
    assert [reading.guid(text) for text in ("0x0000000000000000", "946d:ae03", "", "N/A")] == [""] * 4


def test_a_list_that_is_cut_off_gives_the_whole_objects_before_the_cut_and_a_problem() -> None:
    rows, problem = reading.json_rows('[{"a": 1}, [{"b": 2}, {}], {"c":')
    assert rows == [{"a": 1}, {"b": 2}]
    assert "after 2 whole entries" in problem


def test_an_empty_list_is_nothing_without_a_problem() -> None:
    assert reading.json_rows("[ ]") == ([], "")
    assert reading.json_rows("[[],{}]") == ([], "")


def test_silence_and_foreign_words_are_told_apart() -> None:
    assert reading.not_output_of("ibstat", " \n") == reading.SILENT
    told = reading.not_output_of("ibstat", "\nbash: ibstat: Kommando nicht gefunden.\nmore\n")
    assert told == "this is no output of ibstat: bash: ibstat: Kommando nicht gefunden."
    assert len(reading.quote("x" * 5000)) < 200


def test_keys_without_a_value_do_not_take_the_next_key_for_it() -> None:
    words = ["node_type", "ca", "fw", "node_guid", "1", "caps:", "<A,", "B>"]
    keys = ("node_type", "fw", "node_guid", "caps:")
    assert reading.keyed(words, keys) == {"node_type": "ca", "fw": "", "node_guid": "1", "caps:": "<A, B>"}

"""Errors in a tool's output are told from content, from an early end and from text that is not the tool's."""

from __future__ import annotations

import pytest

from raceway.facts.verdict import ended, fields, known, problem, split_json


@pytest.mark.parametrize(
    "line",
    [
        "Attribute read: Operation not supported",
        "Attribute read: Die Operation wird nicht unterstützt",
        "netlink error: Périphérique inexistant",
        "Cannot get device ring settings: Kein passendes Gerät gefunden",
        "-E- Failed to open the device",
        "bash: mlnx_qos: command not found",
        "no stats available",
        "No devices were found",
    ],
)
def test_an_error_is_known_by_the_words_of_the_tool_in_any_language(line: str) -> None:
    assert problem("a tool", False, ["", f"  {line}"]) == line


def test_an_error_outranks_what_is_missing_because_of_it() -> None:
    assert problem("a tool", True, ["Error: no answer"], ["TX"]) == "Error: no answer"
    assert problem("a tool", True, ["a heading"], ["RX", "TX"]) == "cut off: RX; cut off: TX"
    assert problem("a tool", True, ["a heading"]) == ""


def test_a_line_a_cut_went_through_is_not_read() -> None:
    assert ended("RX: 1024\nTX: 81") == (["RX: 1024"], ["TX: 81"])
    assert ended("RX: 1024\nTX: 8192\n")[1] == ended("RX: 1024")[1] == ended("")[1] == []
    assert problem("a tool", True, [], ["TX"], ["TX:    81"]) == "cut off: in 'TX: 81'; cut off: TX"
    assert problem("a tool", True, [], [], ["Error: gone"]) == "Error: gone"


def test_silence_and_foreign_text_are_two_answers() -> None:
    assert problem("dcb", False, ["", " "]) == "printed nothing"
    assert problem("dcb", False, ["hello", "world"]) == "this is no output of dcb: hello"


def test_lines_before_json_are_kept_and_text_without_json_is_lines_only() -> None:
    assert split_json('a warning\n[{"a": 1}]\n') == ([{"a": 1}], ["a warning"], "")
    assert split_json("a: 1\n") == (None, ["a: 1"], "")
    rows, _, wrong = split_json('[{"a": 1}, {"a"')
    assert rows == [{"a": 1}] and "cut off" in wrong


def test_words_for_nothing_are_nothing() -> None:
    assert [known(word) for word in ("N/A", "[N/A]", "", None, "None", "RS")] == [None] * 5 + ["RS"]


def test_the_first_of_two_equal_names_counts_and_a_line_without_a_colon_is_left_out() -> None:
    assert fields(["a: 1", "a: 2", "b", "c :x:y"]) == {"a": "1", "c": "x:y"}

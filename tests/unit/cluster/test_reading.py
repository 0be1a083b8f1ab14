"""The reader of plain data."""

from __future__ import annotations

from raceway.cluster.problems import Problem
from raceway.cluster.reading import Reader


def test_a_reader_of_no_map_tells_so_and_goes_on_with_defaults() -> None:
    problems: list[Problem] = []
    reader = Reader("x", "text", problems)
    assert reader.whole("n", 3) == 3 and problems[0].message() == "x: 'text'; allowed: a map; next: correct the value"


def test_keys_nobody_asked_for_are_told_with_the_known_ones() -> None:
    problems: list[Problem] = []
    reader = Reader("x", {"a": 1, "b": 2}, problems)
    reader.whole("a")
    reader.done()
    assert problems == [Problem("x.b", "unknown key", "a", "remove it")]


def test_true_is_no_number() -> None:
    problems: list[Problem] = []
    Reader("x", {"n": True}, problems).whole("n")
    assert problems[0].found == "True"

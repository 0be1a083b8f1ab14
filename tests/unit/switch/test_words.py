"""The words of configurations: indents, ranges, units."""

from __future__ import annotations

import doctest

import pytest

from raceway.errors import RacewayError
from raceway.switch import words
from raceway.switch.words import blocks, in_bytes, numbers, spread


def test_the_examples_of_the_docstrings_are_true() -> None:
    found = doctest.testmod(words)
    assert found.attempted == 6 and found.failed == 0


def test_blocks_follow_the_indent_and_drop_comments() -> None:
    top = blocks("! head\ninterface A\n   mtu 9\n   !\n   q 3\n      w 1\n# x\ninterface B\n", "f")
    first, second = top.under("interface")
    assert [one.line for one in first.inner] == ["mtu 9", "q 3"]
    assert first.inner[1].inner[0].line == "w 1"
    assert second.inner == ()


def test_the_last_of_two_lines_counts() -> None:
    assert blocks("mtu 1\nmtu  2\n", "f").after("mtu") == "2"


def test_a_word_that_only_begins_like_another_is_not_it() -> None:
    assert list(blocks("mtu-size 1\n", "f").under("mtu")) == []


def test_an_error_message_of_a_switch_is_no_configuration() -> None:
    with pytest.raises(RacewayError, match="error message of a switch: "):
        blocks("interface A\n% Invalid input at '^' marker.\n", "f")


def test_a_range_that_runs_backwards_or_without_end_stays_as_it_is() -> None:
    assert spread("swp9-3") == ["swp9-3"]
    assert spread("0-99999999") == ["0-99999999"]
    assert numbers("0-99999999") == []


def test_a_threshold_without_a_unit_is_unknown() -> None:
    assert in_bytes("minimum-threshold 150", "minimum-threshold") is None

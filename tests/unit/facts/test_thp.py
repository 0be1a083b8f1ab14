"""The kernel's list of choices with the one in force in brackets."""

from __future__ import annotations

from raceway.facts.thp import parse_choice


def test_the_choice_in_brackets_is_in_force_and_all_are_offered() -> None:
    found = parse_choice("always defer [defer+madvise] madvise never\n")
    assert found.value == "defer+madvise"
    assert found.offered == ("always", "defer", "defer+madvise", "madvise", "never")


def test_a_text_without_brackets_is_no_value() -> None:
    assert parse_choice("always madvise never").value == ""

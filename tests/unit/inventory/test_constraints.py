"""Rules between variables: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.inventory.constraints import problems_between
from raceway.inventory.specs import Constraints

CASES: list[tuple[Constraints, dict[str, Any], dict[str, Any], str]] = [
    (Constraints(mutually_exclusive=(("a", "b"),)), {"a": 1, "b": 2}, {"a": 1}, "given together with b"),
    (Constraints(required_together=(("a", "b"),)), {"a": 1}, {"a": 1, "b": 2}, "given without b"),
    (Constraints(required_one_of=(("a", "b"),)), {"c": 1}, {"b": 1}, "none of a, b is given"),
    (Constraints(required_if=(("a", "x", ("b", "c")),)), {"a": "x", "b": 1}, {"a": "y"}, '"x" needs c'),
    (Constraints(required_if=(("a", "x", ("b", "c"), True),)), {"a": "x"}, {"a": "x", "c": 1}, '"x" needs b, c'),
    (Constraints(required_by={"a": ("b",)}), {"a": 1}, {"b": 1}, "given without b"),
]


@pytest.mark.parametrize(("rules", "red", "green", "found"), CASES)
def test_a_broken_rule_is_told_and_a_kept_one_is_not(
    rules: Constraints, red: dict[str, Any], green: dict[str, Any], found: str
) -> None:
    ((_, told, act),) = problems_between(rules, red)
    assert told == found
    assert act
    assert problems_between(rules, green) == []


def test_a_default_nobody_chose_does_not_exclude_another_variable() -> None:
    rules = Constraints(mutually_exclusive=(("a", "b"),))
    assert problems_between(rules, {"a": "default", "b": 2}, counted={"b"}) == []


def test_null_counts_as_not_given() -> None:
    assert problems_between(Constraints(required_one_of=(("a", "b"),)), {"a": None})

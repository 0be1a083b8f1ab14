"""Problems told together."""

from __future__ import annotations

import pytest

from raceway.cluster.problems import Problem, nearest, refuse
from raceway.errors import RacewayError


def test_no_problem_raises_nothing() -> None:
    assert refuse([], "x") is None


def test_one_problem_is_told_as_itself() -> None:
    with pytest.raises(RacewayError, match=r"^a: b; allowed: c; next: d$"):
        refuse([Problem("a", "b", "c", "d")], "x")


def test_several_problems_are_counted_and_each_is_told() -> None:
    with pytest.raises(RacewayError, match=r"(?s)x: 2 problems.*a: b.*c: d"):
        refuse([Problem("a", "b"), Problem("c", "d")], "x")


def test_a_word_like_nothing_known_gets_no_suggestion() -> None:
    assert nearest("zzz", ["cpu", "memory"]) == "" and nearest("queue", ["queues"]) == "did you mean queues?"

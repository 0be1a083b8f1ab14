"""A sweep in words."""

from __future__ import annotations

from raceway.acceptance import words
from raceway.acceptance.model import LeftOut
from raceway.acceptance.verdict import judge

from .builders import good, make_sweep, measured


def test_the_plan_says_ports_rounds_time_and_what_is_left_out() -> None:
    rows = words.plan(make_sweep(5, rails=2, left_out=(LeftOut("x", "no address", "declare it"),)))
    assert rows[0] == "10 ports of 5 nodes on 2 rails: 20 pairs in 5 rounds, about 55 s or more"
    assert rows[2] == "rail 0: 5 ports (gpu[01-05]), 5 rounds, one has a rest in each round"
    assert rows[-1] == "left out: x: no address; next: declare it"


def test_a_part_of_all_rounds_says_that_not_every_pair_meets() -> None:
    assert "2 of 7 rounds: not every pair meets" in words.plan(make_sweep(8, rounds=2))[2]


def test_rounds_are_shown_as_pairs_shortened_unless_all_are_wanted() -> None:
    odd = list(words.rounds(make_sweep(3)))
    assert odd == [
        "rail 0 round 1: gpu02–gpu03; gpu01 has a rest",
        "rail 0 round 2: gpu01–gpu02; gpu03 has a rest",
        "rail 0 round 3: gpu01–gpu03; gpu02 has a rest",
    ]
    many = make_sweep(40)
    first, rest = words.rounds(many, 1)
    assert first.endswith(" and 12 more") and rest == "rail 0: 38 more rounds"
    assert next(iter(words.rounds(many, 1, every=True))).count("–") == 20


def test_nodes_that_fared_alike_say_the_same_words() -> None:
    assert words.progress(0, 4, 9, [{"problem": ""}]) == "rounds 1 to 4 of 9: measured"
    assert words.progress(8, 9, 9, [{"problem": "x"}, {"problem": ""}]) == "round 9 of 9: 1 measurement failed"


def test_the_result_is_one_line_with_all_counts() -> None:
    sweep = make_sweep(3)
    told = words.result(sweep, judge(sweep, measured(sweep, good)))
    assert told == "passed: 9 measurements pass, 0 miss their limit, 0 not measured; 3 nodes"

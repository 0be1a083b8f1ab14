"""The tournament: everybody meets everybody once, nobody is in two pairs of a round, and no schedule is shorter."""

from __future__ import annotations

import itertools

import pytest

from raceway.acceptance.schedule import pairs, partner, rounds, tournament


@pytest.mark.parametrize("count", [*range(2, 34), 127, 128])
def test_everybody_meets_everybody_once_and_nobody_twice_at_a_time(count: int) -> None:
    met: list[frozenset[int]] = []
    for row in tournament(count):
        used = [one for pair in row for one in pair]
        assert len(used) == len(set(used)) == count - count % 2
        met += [frozenset(pair) for pair in row]
    assert len(met) == len(set(met))
    assert set(met) == {frozenset(pair) for pair in itertools.combinations(range(count), 2)}


@pytest.mark.parametrize(
    ("count", "least"), [(0, 0), (1, 0), (2, 1), (3, 3), (4, 3), (5, 5), (4096, 4095), (4095, 4095)]
)
def test_there_are_as_many_rounds_as_there_must_be(count: int, least: int) -> None:
    assert rounds(count) == least
    # A round holds count // 2 pairs at most, so fewer rounds could not hold them all.
    assert least * (count // 2) == count * (count - 1) // 2


@pytest.mark.parametrize("count", [2, 3, 7, 8, 33])
def test_each_can_work_out_its_partner_alone(count: int) -> None:
    for number, row in enumerate(tournament(count)):
        expected: dict[int, int | None] = dict.fromkeys(range(count))
        for one, other in row:
            expected[one], expected[other] = other, one
        assert {one: partner(count, number, one) for one in range(count)} == expected


def test_a_part_of_a_tournament_is_its_first_rounds() -> None:
    assert list(tournament(8, 2)) == [pairs(8, 0), pairs(8, 1)] and len(list(tournament(8, 99))) == 7


def test_the_plan_of_4096_ports_has_every_pair_in_4095_rounds() -> None:
    assert sum(len(row) for row in tournament(4096)) == 4096 * 4095 // 2

"""Headroom by speed and cable: published rows where there are some, the driver's formula elsewhere."""

from __future__ import annotations

import pytest

from raceway.switch.headroom import by_formula, in_flight, nvidia, table
from raceway.switch.model import Headroom


@pytest.mark.parametrize(
    ("speed", "metres", "mtu", "wanted"),
    [(400_000, 7, 9000, 150_928), (200_000, 7, 9000, 87_704), (100_000, 7, 1500, 35_692)],
)
def test_the_formula_gives_the_figures_of_the_driver(speed: int, metres: int, mtu: int, wanted: int) -> None:
    assert in_flight(speed, metres, mtu) == wanted


def test_a_published_size_is_the_sum_of_its_parts() -> None:
    assert nvidia()[400_000, 40] == Headroom(123_904, 19_456, 104_448)
    assert nvidia()[800_000, 300] == Headroom(450_560, 38_912, 411_648)
    assert {row.size - row.xon - row.xoff for row in nvidia().values()} == {0}


def test_sonic_has_only_published_lengths_and_the_others_have_a_grid() -> None:
    assert {metres for _, metres in table("sonic", 9216)} == {5, 40, 300}
    assert (400_000, 7) in table("eos", 9214)


def test_headroom_grows_with_speed_and_with_length() -> None:
    rows = by_formula(9216)
    assert rows[100_000, 5].xoff < rows[400_000, 5].xoff < rows[400_000, 100].xoff


def test_a_row_by_formula_lets_the_peer_go_on_below_the_pause_threshold() -> None:
    assert all(0 < row.xon < row.size - row.xoff for row in by_formula(9216).values())

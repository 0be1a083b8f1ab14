"""How much buffer a lossless priority needs, and how a port's buffer is divided by hand."""

from __future__ import annotations

import pytest

from raceway.model.qos import Qos
from raceway.model.roce_buffer import divide, headroom, holds, least

MLX5 = 262016  # bytes of receive buffer of a ConnectX port


@pytest.mark.parametrize(
    ("speed", "mtu", "needed"),
    [(400, 9000, 150928), (200, 9000, 87704), (100, 1500, 35692)],
    ids=["400G", "200G", "100G"],
)
def test_headroom_is_what_the_mlx5_driver_computes(speed: int, mtu: int, needed: int) -> None:
    assert headroom(Qos(mtu=mtu, cable_m=7), speed) == needed


def test_each_lossless_priority_needs_headroom_of_its_own() -> None:
    assert least(Qos(lossless=(4,)), 400) == 2 * least(Qos(), 400) == 301856


def test_the_lossless_priority_gets_a_buffer_with_headroom_and_two_packets_and_the_rest_goes_to_all_others() -> None:
    made = divide(Qos(), 400, MLX5)
    assert made is not None and made.priority_buffer == (0, 0, 0, 1, 0, 0, 0, 0)
    assert made.sizes[1] >= headroom(Qos(), 400) + 2 * 9000 and made.sizes[0] >= 2 * 9000
    assert made.sizes[2:] == (0,) * 6 and sum(made.sizes) <= MLX5


def test_two_lossless_priorities_have_two_buffers() -> None:
    made = divide(Qos(lossless=(4,)), 100, MLX5)
    assert made is not None and made.priority_buffer == (0, 0, 0, 1, 2, 0, 0, 0)
    assert made.sizes[1] == made.sizes[2] and sum(made.sizes) <= MLX5


def test_a_buffer_that_does_not_suffice_is_not_divided() -> None:
    assert divide(Qos(lossless=(4,)), 400, MLX5) is None
    assert divide(Qos(), 400, headroom(Qos(), 400)) is None


def test_a_size_that_the_driver_rounded_to_its_cells_is_right_and_one_of_another_kilobyte_is_not() -> None:
    assert holds((170000, 92000), (169984, 92000)) and holds((170000,), (170000,))
    assert not holds((170000,), (168960,)) and not holds((170000,), None)

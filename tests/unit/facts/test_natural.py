"""The order of device names."""

from __future__ import annotations

from itertools import permutations

from raceway.facts.natural import natural


def test_mlx5_2_comes_before_mlx5_10_and_prefixes_before_longer_names() -> None:
    names = ["bnxt_re0", "mlx5_0", "mlx5_1", "mlx5_2", "mlx5_10", "mlx5_11", "mlx5_bond_0", "rocep193s0f0"]
    for some in permutations(names, 3):
        assert sorted(some, key=natural) == sorted(some, key=names.index)


def test_names_that_start_with_numbers_can_be_compared_with_words() -> None:
    assert sorted(["a", "10", "2", ""], key=natural) == ["", "2", "10", "a"]


def test_two_different_names_are_never_the_same_place_in_the_order() -> None:
    names = ["Mlx5_1", "mlx5_01", "mlx5_1"]
    assert len({natural(name) for name in names}) == 3
    assert all(sorted(some, key=natural) == sorted(names, key=natural) for some in permutations(names))

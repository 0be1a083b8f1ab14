"""How a kernel cuts and compares its arguments."""

from __future__ import annotations

import pytest

from raceway.model.cmdline import PLAIN, in_force, tokens


def test_quotes_hold_blanks_together_and_what_follows_two_dashes_is_not_the_kernels() -> None:
    text = 'a="b c" "d=e f" quiet\t x="" -- iommu=pt\n'
    assert tokens(text) == ("a=b c", "d=e f", "quiet", "x=")


@pytest.mark.parametrize(
    ("argument", "found", "holds"),
    [
        ("iommu=pt", ("amd_iommu=pt",), False),
        ("iommu=pt", ("iommu=pt,strict",), False),
        ("iommu=pt", ("iommu=off", "iommu=pt"), True),
        ("iommu=pt", ("iommu=pt", "iommu=off"), False),
        ("init-on-alloc=0", ("init_on_alloc=0",), True),
        ("quiet", ("quiet=1",), False),
        ("console=ttyS0", ("console=ttyS0", "console=tty0"), True),
        ("quiet", (), False),
    ],
)
def test_whole_arguments_are_compared_and_the_last_one_counts(
    argument: str, found: tuple[str, ...], holds: bool
) -> None:
    assert in_force(argument, found) is holds


@pytest.mark.parametrize("text", ['a="b c"', "a b", "a=$x", "a;b", "a'b", "a\\b", ""])
def test_characters_that_a_boot_loader_takes_apart_are_not_plain(text: str) -> None:
    assert not PLAIN.fullmatch(text)

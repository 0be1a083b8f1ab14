"""Quantities are read exactly; the expected numbers are written out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from raceway.cluster.quantity import add, parse, show


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("500m", Fraction(1, 2)),
        ("2Gi", 2147483648),
        ("1.5k", 1500),
        ("1e3", 1000),
        (".5", Fraction(1, 2)),
        (3, 3),
    ],
)
def test_a_quantity_is_its_exact_number(text: str, number: int) -> None:
    assert parse(text) == number


@pytest.mark.parametrize("text", ["", "8 GB", "1,5", "Gi", "0x10", "1GiB", "--1", True])
def test_what_is_no_quantity_is_refused_with_the_value(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        parse(text)


def test_thousand_tenths_add_up_to_exactly_hundred() -> None:
    assert add(*[{"cpu": parse("100m")}] * 1000) == {"cpu": 100}


@pytest.mark.parametrize(
    ("number", "resource", "text"),
    [(24, "cpu", "24"), (Fraction(3, 2), "cpu", "1500m"), (2**36, "memory", "64Gi"), (3 * 2**29, "memory", "1536Mi")],
)
def test_numbers_are_shown_as_people_write_them(number: int, resource: str, text: str) -> None:
    assert show(Fraction(number), resource) == text

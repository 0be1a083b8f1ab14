"""Units of limits: KiB in limits.conf, bytes in systemd."""

from __future__ import annotations

import pytest

from raceway.model.limit import Limit, amount, at_least, parse, systemd_value


@pytest.mark.parametrize(
    ("item", "value", "shown"),
    [
        ("memlock", "unlimited", "infinity"),
        ("memlock", "64", "65536"),
        ("stack", "8192", "8388608"),
        ("nproc", "10", "10"),
    ],
)
def test_case_x05_a_limit_is_converted_into_systemds_unit(item: str, value: str, shown: str) -> None:
    assert systemd_value(Limit(item, value)) == shown


@pytest.mark.parametrize("value", ["unlimited", "infinity", "-1", -1])
def test_no_limit_has_one_spelling_inside(value: object) -> None:
    assert parse({"limits": [{"item": "memlock", "value": value}]}).limits[0].value == "unlimited"


@pytest.mark.parametrize(
    ("text", "number"),
    [("8M", 2**23), ("64K", 65536), ("1024:524288", 1024), ("18446744073709551615", float("inf")), ("", 0)],
)
def test_values_of_systemd_are_numbers(text: str, number: float) -> None:
    assert amount(text) == number


def test_an_unreadable_value_never_allows_enough() -> None:
    assert not at_least("much", "1") and not at_least("", "1")

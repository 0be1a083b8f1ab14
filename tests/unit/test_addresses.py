"""Addresses and names."""

from __future__ import annotations

import pytest

from raceway.addresses import is_address


@pytest.mark.parametrize(
    ("text", "right"), [("10.0.0.1", True), ("fd00::1", True), ("gpu01", False), ("10.0.0", False), ("", False)]
)
def test_an_address_is_told_from_a_name(text: str, right: bool) -> None:
    assert is_address(text) is right

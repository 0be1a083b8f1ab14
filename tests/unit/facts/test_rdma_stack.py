"""Versions against pins, and the firmware's word about Secure Boot."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_stack import meets, parse_secure_boot


@pytest.mark.parametrize(
    ("found", "pin", "right"),
    [
        ("3.2.1", "3.2.1", True),
        ("3.2.1-044000-25.10", "3.2.1", True),
        ("1:3.2.1-1", "3.2.1", True),
        ("3.2.10-1", "3.2.1", False),
        ("3.2", "3.2.1", False),
    ],
)
def test_a_pin_may_leave_out_revision_and_epoch_and_no_digit(found: str, pin: str, right: bool) -> None:
    assert meets(found, pin) is right


def test_secure_boot_is_known_only_where_the_whole_variable_was_read() -> None:
    assert parse_secure_boot("\x06\x00\x00\x00\x00") is False
    assert parse_secure_boot("\x06\x00\x00\x00\x01") is True
    assert parse_secure_boot("") is None

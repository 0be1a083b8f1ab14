"""The declaration of the governor."""

from __future__ import annotations

from raceway.model.governor import GovernorDesired, parse


def test_nothing_declared_is_left_alone() -> None:
    assert parse({}) == GovernorDesired("")
    assert parse({"governor": "performance", "platform": "vm"}).platform == "vm"

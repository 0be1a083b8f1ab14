"""What evidence is wanted: limits by the names of the fields, defaults for the rest."""

from __future__ import annotations

import pytest

from raceway.model.evidence import CAPTURES, Wanted, parse


def test_what_is_not_given_has_its_default_and_lists_are_fixed() -> None:
    found = parse({"interval_s": 2, "interfaces": ["ens1"], "captures": []})
    assert found == Wanted(interval_s=2, interfaces=("ens1",), captures=())
    assert parse({}).captures == CAPTURES


def test_a_key_that_is_no_limit_is_refused() -> None:
    with pytest.raises(TypeError, match="command"):
        parse({"command": "reboot"})

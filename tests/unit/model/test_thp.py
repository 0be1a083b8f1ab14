"""Which of the two files are managed."""

from __future__ import annotations

from raceway.model.thp import parse


def test_an_empty_string_is_no_knob() -> None:
    assert parse({"enabled": "madvise", "defrag": ""}).knobs == {"enabled": "madvise"}
    assert parse({}).knobs == {}

"""Places are told as a reader would type them."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.inventory.origin import Origin, from_description, natural


def test_a_place_below_the_working_directory_is_told_relative_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert str(Origin(str(tmp_path / "hosts.yml"), 3)) == "hosts.yml:3"
    assert str(Origin("/elsewhere/hosts.yml", 3)) == "/elsewhere/hosts.yml:3"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("<inventory script output from '/x/hosts.py'>", "/x/hosts.py (its output)"),
        ("<inventory plugin 'yaml' with source '/x/hosts.yml'>", "/x/hosts.yml"),
        ("<CLI option '-e'>", "CLI option '-e'"),
    ],
)
def test_ansibles_words_for_places_without_lines_are_kept(words: str, told: str) -> None:
    assert str(from_description(words)) == told


def test_nothing_known_is_said_to_be_unknown() -> None:
    assert str(Origin()) == "unknown place"


def test_natural_order_counts_numbers_and_ignores_case() -> None:
    names = ["rack10-n1", "rack2-n10", "Rack2-n9", "a"]
    assert sorted(names, key=natural) == ["a", "Rack2-n9", "rack2-n10", "rack10-n1"]

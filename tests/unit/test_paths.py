"""The cache and state folders follow raceway's own variables, then the XDG ones, then the home folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raceway import paths

CASES = [
    (paths.cache_dir, "RACEWAY_CACHE", "XDG_CACHE_HOME", ".cache/raceway"),
    (paths.state_dir, "RACEWAY_STATE", "XDG_STATE_HOME", ".local/state/raceway"),
]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    for _, own, xdg, _ in CASES:
        monkeypatch.delenv(own, raising=False)
        monkeypatch.delenv(xdg, raising=False)


@pytest.mark.parametrize(("folder", "own", "xdg", "fallback"), CASES, ids=["cache", "state"])
def test_the_first_variable_that_is_set_wins(
    folder: Callable[[], Path], own: str, xdg: str, fallback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder() == Path("/home/someone") / fallback
    monkeypatch.setenv(xdg, "/xdg")
    assert folder() == Path("/xdg/raceway")
    monkeypatch.setenv(own, "/own")
    assert folder() == Path("/own")


@pytest.mark.parametrize(("folder", "own", "xdg", "fallback"), CASES, ids=["cache", "state"])
def test_empty_and_relative_xdg_values_are_ignored(
    folder: Callable[[], Path], own: str, xdg: str, fallback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(own, "")
    for value in ("", "relative"):
        monkeypatch.setenv(xdg, value)
        assert folder() == Path("/home/someone") / fallback


def test_the_recipes_are_those_of_the_checkout_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACEWAY_TOOLS", raising=False)
    assert (paths.tools_dir() / "versions.toml").is_file()
    monkeypatch.setenv("RACEWAY_TOOLS", "/elsewhere")
    assert paths.tools_dir() == Path("/elsewhere")

"""The compiler is found, judged by its version, and run in an environment the user's settings cannot bend."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.tools import golang


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("go version go1.26.8 linux/amd64\n", ("1.26.8", "go1.26.8 linux/amd64")),
        ("go version go1.27 darwin/arm64\n", ("1.27", "go1.27 darwin/arm64")),
        ("go version go1.26.8-X:nodwarf5 linux/amd64\n", ("1.26.8", "go1.26.8 linux/amd64")),
        ("go version devel go1.28-abcdef linux/amd64\n", ("1.28", "go1.28 linux/amd64")),
        ("sh: go: not found\n", None),
    ],
)
def test_the_version_line_is_read(text: str, read: tuple[str, str] | None) -> None:
    assert golang.parse(text) == read


@pytest.mark.parametrize(
    ("version", "minimum", "old"),
    [
        ("1.26.6", "1.26.6", False),
        ("1.26.5", "1.26.6", True),
        ("1.9.9", "1.26.0", True),
        ("2.0", "1.26.6", False),
        ("1.27", "1.26.6", False),
        ("1.26", "1.26.6", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, minimum: str, old: bool) -> None:
    assert golang.is_old(version, minimum) is old


def test_a_machine_without_go_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "_installed", lambda: None)
    assert golang.find("1.26.6") is None
    with pytest.raises(RacewayError, match=r"go: not on PATH .*allowed: 1\.26\.6 or newer; next: install Go"):
        golang.need("1.26.6")


def test_an_old_go_is_named_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    old = golang.Go(Path("/usr/bin/go"), "1.24.4", "go1.24.4 linux/amd64")
    monkeypatch.setattr(golang, "_installed", lambda: old)
    assert golang.find("1.26.6") is None
    with pytest.raises(RacewayError, match=r"/usr/bin/go: version 1\.24\.4; allowed: 1\.26\.6 or newer"):
        golang.need("1.26.6")


@pytest.mark.parametrize("name", ["GOFLAGS", "GOOS", "GOARCH", "GOWORK", "GOTOOLCHAIN", "CGO_ENABLED"])
def test_the_users_go_settings_do_not_bend_the_build(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv(name, raising=False)
    plain = golang.environment()
    monkeypatch.setenv(name, "-mod=mod")
    assert golang.environment() == plain


@pytest.mark.parametrize("name", ["GOPROXY", "GOSUMDB", "GOMODCACHE", "GOCACHE", "GOPRIVATE"])
def test_the_users_ways_to_reach_modules_are_kept(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/somewhere")
    assert golang.environment()[name] == "/somewhere"


def test_the_recipe_is_read_only_to_go() -> None:
    assert "-mod=readonly" in golang.FLAGS.split() and "-trimpath" in golang.FLAGS.split()

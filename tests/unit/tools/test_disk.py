"""A machine with room keeps Go's own cache; one without gets a private one per family; one with none is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from raceway.errors import RacewayError
from raceway.tools import disk, pins

from .builders import make_family


@pytest.fixture
def families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[pins.Family]:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    return [make_family(tmp_path, name="a", disk_gib=10.0), make_family(tmp_path, name="b", disk_gib=5.0)]


def free(monkeypatch: pytest.MonkeyPatch, gib: float) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=gib * disk.GIB))


def test_the_users_build_cache_is_used_where_there_is_room(
    families: list[pins.Family], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 17)
    assert disk.choose(families, tmp_path / "go-build") is None


def test_private_caches_are_used_where_only_one_family_fits(
    families: list[pins.Family], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 12)
    assert disk.choose(families, tmp_path / "go-build") == tmp_path / "cache" / "gocache"
    assert disk.private_cache(families[0]) == tmp_path / "cache" / "gocache" / "a"


def test_a_disk_too_small_for_the_largest_family_is_refused_before_anything_is_built(
    families: list[pins.Family], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 3)
    with pytest.raises(RacewayError, match=r"3\.0 GiB free; allowed: 12 GiB or more; next: .*RACEWAY_CACHE"):
        disk.choose(families, tmp_path / "go-build")

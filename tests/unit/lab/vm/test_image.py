"""The VM image is named by its recipe, is whole or not there, and labs do not lose it with the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab import locks
from raceway.lab.progress import Steps
from raceway.lab.vm import image


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RACEWAY_LAB_MIRROR", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("os.sync", lambda: None)
    return tmp_path / "cache" / "vm-image"


def fake_build(monkeypatch: pytest.MonkeyPatch, parts: tuple[str, ...] = image.PARTS, code: int = 0) -> list[list[str]]:
    calls: list[list[str]] = []

    def call(command: list[str], environment: dict[str, str], *_: object) -> int:
        calls.append(command)
        for part in parts:
            (Path(command[-1]) / part).write_text(part)
        return code

    monkeypatch.setattr(image.processes, "call", call)
    return calls


def test_the_name_does_not_depend_on_where_the_package_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = image.key()
    copy = tmp_path / "else where"
    shutil.copytree(image.SOURCES, copy)
    monkeypatch.setattr(image, "SOURCES", copy)
    assert image.key() == before


@pytest.mark.parametrize(
    "name", ["build.sh", "init.c", "sshd.conf", "trim.sh", "update-grub", "dcbtest/dcbtest.c", "dcbtest/keepmac.c"]
)
def test_a_changed_file_of_the_recipe_is_another_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = image.key()
    copy = tmp_path / "sources"
    shutil.copytree(image.SOURCES, copy)
    with (copy / name).open("a") as stream:
        stream.write("\n")
    monkeypatch.setattr(image, "SOURCES", copy)
    assert image.key() != before


def test_another_mirror_or_suite_is_another_image(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {image.key()}
    monkeypatch.setenv("RACEWAY_LAB_MIRROR", "http://mirror.example/debian")
    keys.add(image.key())
    monkeypatch.setattr(image, "SUITE", "sid")
    keys.add(image.key())
    assert len(keys) == 3


def test_a_built_image_is_not_built_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fake_build(monkeypatch)
    place = image.ensure(Steps(False))
    assert image.ensure(Steps(False)) == place == cache / image.key()
    assert len(calls) == 1
    assert calls[0][:2] == ["unshare", "--mount"]
    assert sorted(path.name for path in place.iterdir()) == sorted(image.PARTS)
    assert not (cache / "build").exists()


@pytest.mark.parametrize(("parts", "code"), [(image.PARTS, 1), (image.PARTS[:2], 0)])
def test_a_failed_or_half_build_leaves_no_image(
    cache: Path, monkeypatch: pytest.MonkeyPatch, parts: tuple[str, ...], code: int
) -> None:
    fake_build(monkeypatch, parts, code)
    with pytest.raises(RacewayError, match=r"VM image.*RACEWAY_LAB_MIRROR.*build\.log"):
        image.ensure(Steps(False))
    assert sorted(path.name for path in cache.iterdir()) == ["build.log", "lock"]


def test_who_is_not_root_is_told_what_to_run_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(RacewayError, match="raceway lab prepare --vm as root"):
        image.ensure(Steps(False))


def test_a_lab_keeps_its_image_when_the_cache_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_build(monkeypatch)
    into = tmp_path / "lab" / "image" / image.key()
    image.link(image.ensure(Steps(False)), into)
    assert image.remove() == 1
    assert image.remove() == 0
    assert (into / "root.img").read_text() == "root.img"


def test_a_link_that_a_kill_left_half_done_is_made_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_build(monkeypatch)
    into = tmp_path / "lab" / "image" / image.key()
    half = into.with_name(f".{into.name}.new")
    half.mkdir(parents=True)
    (half / "root.img").write_text("half")
    image.link(image.ensure(Steps(False)), into)
    assert {path.name: path.read_text() for path in into.iterdir()} == {part: part for part in image.PARTS}


def test_what_a_killed_build_left_is_swept_but_not_under_a_running_one(cache: Path) -> None:
    image.sweep()
    (cache / "build" / "out").mkdir(parents=True)
    with locks.exclusive(cache / "lock"):
        image.sweep()
        assert (cache / "build").exists()
    image.sweep()
    assert not (cache / "build").exists()


def test_the_cache_keeps_the_newest_images_of_other_recipes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_build(monkeypatch)
    for suite in ("a", "b", "c", "d"):
        monkeypatch.setattr(image, "SUITE", suite)
        newest = image.ensure(Steps(False))
    left = [path for path in cache.iterdir() if path.is_dir()]
    assert newest in left
    assert len(left) == 1 + image.KEPT


def test_the_recipe_is_shipped_with_the_package_and_can_be_run() -> None:
    assert (image.SOURCES / "build.sh").stat().st_mode & 0o111
    project = (Path(__file__).parents[4] / "pyproject.toml").read_text()
    assert '"lab/vm_image/*"' in project
    assert '"lab/vm_image/dcbtest/*"' in project

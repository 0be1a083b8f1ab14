"""The folder for PATH holds exactly the wanted tools, is stable, and heals."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.tools import view

from .builders import make_program


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    return {name: make_program(tmp_path / "made" / name / name) for name in ("etcd", "kubectl")}


def test_the_folder_holds_links_to_exactly_the_wanted_tools(tools: dict[str, Path]) -> None:
    folder = view.folder(tools)
    assert {path.name: path.resolve() for path in folder.iterdir()} == tools


def test_pulumi_has_its_real_path_beside_its_language_host(tmp_path: Path, tools: dict[str, Path]) -> None:
    wanted = {name: make_program(tmp_path / "made" / name) for name in ("pulumi", "pulumi-language-python")}
    folder = view.folder(wanted)
    assert (folder / "pulumi").resolve() == folder / "pulumi"
    assert (folder / "pulumi").samefile(wanted["pulumi"])
    assert (folder / "pulumi-language-python").resolve() == wanted["pulumi-language-python"]


def test_the_same_wish_gives_the_same_folder_untouched(tools: dict[str, Path]) -> None:
    first = view.folder(tools)
    before = first.stat().st_ino
    assert view.folder(dict(reversed(tools.items()))) == first
    assert first.stat().st_ino == before


def test_another_build_of_a_tool_gives_another_folder(tools: dict[str, Path], tmp_path: Path) -> None:
    first = view.folder(tools)
    other = make_program(tmp_path / "made" / "newer" / "etcd")
    assert view.folder({**tools, "etcd": other}) != first
    assert (first / "etcd").resolve() == tools["etcd"]  # a running lab keeps its own


def test_a_folder_that_lost_a_link_is_made_again(tools: dict[str, Path]) -> None:
    (view.folder(tools) / "etcd").unlink()
    assert (view.folder(tools) / "etcd").resolve() == tools["etcd"]
    assert [path.name for path in view.folder(tools).parent.iterdir()] == [view.folder(tools).name]

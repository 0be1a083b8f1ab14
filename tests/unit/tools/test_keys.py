"""The key of a build changes with everything that could change the program, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raceway.tools import keys, pins

from .builders import make_family, make_tool


@pytest.fixture
def tool(tmp_path: Path) -> pins.Tool:
    return make_tool(make_family(tmp_path), package="./cmd/hello", ldflags=("-s",))


@pytest.mark.parametrize(
    "change",
    [
        lambda tool: (tool.family.folder / "go.mod").write_text("module example/other\n"),
        lambda tool: (tool.family.folder / "go.sum").write_text("x v1 h1:=\n"),
        lambda tool: (tool.family.folder / "main.go").write_text("package main\n"),
        lambda tool: (
            (tool.family.folder / "overlay" / "deep").mkdir(parents=True)
            or (tool.family.folder / "overlay" / "deep" / "types.go").write_text("package deep\n")
        ),
        lambda tool: (tool.family.folder / "go.mod").rename(tool.family.folder / "go.work"),
    ],
    ids=["go.mod", "go.sum", "main.go", "overlay", "a renamed file"],
)
def test_a_changed_recipe_file_gives_another_key(tool: pins.Tool, change: object) -> None:
    before = keys.recipe(tool)
    change(tool)  # type: ignore[operator]
    assert keys.recipe(tool) != before


@pytest.mark.parametrize(
    "fields",
    [{"version": "1.2.4"}, {"package": "./cmd/other"}, {"ldflags": ("-s", "-w")}, {"name": "hallo"}],
    ids=lambda fields: next(iter(fields)),
)
def test_a_changed_line_of_the_table_gives_another_key(tool: pins.Tool, fields: dict[str, object]) -> None:
    assert keys.recipe(replace(tool, **fields)) != keys.recipe(tool)


def test_the_compiler_is_part_of_the_key() -> None:
    assert keys.key("r", "go1.26.8 linux/amd64") != keys.key("r", "go1.26.9 linux/amd64")
    assert keys.key("r", "go1.26.8 linux/amd64") != keys.key("r", "go1.26.8 linux/arm64")


def test_reasons_sources_and_compiled_python_do_not_change_the_key(tool: pins.Tool) -> None:
    before = keys.recipe(tool)
    (tool.family.folder / "__pycache__").mkdir()
    (tool.family.folder / "__pycache__" / "x.pyc").write_text("x")
    assert keys.recipe(replace(tool, why="another reason", source="elsewhere")) == before


def test_two_checkouts_of_one_recipe_share_a_key(tool: pins.Tool, tmp_path: Path) -> None:
    copy = make_tool(make_family(tmp_path / "second"), package="./cmd/hello", ldflags=("-s",))
    assert keys.recipe(copy) == keys.recipe(tool)


def test_moving_text_from_one_word_to_the_next_gives_another_key(tool: pins.Tool) -> None:
    one, other = replace(tool, ldflags=("ab", "c")), replace(tool, ldflags=("a", "bc"))
    assert keys.recipe(one) != keys.recipe(other)


def test_a_language_host_made_by_another_interpreter_has_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_tool(make_family(tmp_path, builder="langhost"))
    before = keys.recipe(host)
    monkeypatch.setattr("sys.executable", "/elsewhere/bin/python")
    assert keys.recipe(host) != before

"""A user's own tool is used only at the pinned version; then the cache; else it is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.tools import ask, golang, keys, locate, pins

from .builders import make_family, make_pins, make_program, make_tool, publish


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pins.Tool:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(golang, "find", lambda minimum: golang.Go(Path("go"), "1.26.8", "go1.26.8 linux/amd64"))
    return make_tool(make_family(tmp_path))


def on_path(tool: pins.Tool, search: list[Path], answers: dict[str, str]) -> tuple[Path | None, tuple[str, ...]]:
    def tell(asked: pins.Tool, program: Path) -> str | None:
        return ask.version(asked, program, lambda argv: answers.get(argv[0], ""))

    return locate.on_path(tool, make_pins(tool), os.pathsep.join(map(str, search)), tell)


def test_a_program_at_the_pinned_version_is_used_as_it_is(tool: pins.Tool, tmp_path: Path) -> None:
    mine = make_program(tmp_path / "bin" / "hello")
    assert on_path(tool, [mine.parent], {str(mine): "hello v1.2.3\n"}) == (mine, ())


@pytest.mark.parametrize("answer", ["hello v1.2.4\n", "hello v1.2.3-rc.1\n", "segmentation fault\n", ""])
def test_a_program_of_another_or_unknown_version_is_passed_over_by_name(
    tool: pins.Tool, tmp_path: Path, answer: str
) -> None:
    mine = make_program(tmp_path / "bin" / "hello")
    found, passed = on_path(tool, [mine.parent], {str(mine): answer})
    assert found is None
    assert len(passed) == 1 and str(mine) in passed[0]


def test_a_second_program_further_down_the_path_is_found(tool: pins.Tool, tmp_path: Path) -> None:
    old, right = make_program(tmp_path / "a" / "hello"), make_program(tmp_path / "b" / "hello")
    found, passed = on_path(tool, [old.parent, right.parent], {str(old): "v0.9.0", str(right): "v1.2.3"})
    assert found == right
    assert passed == (f"{old} (0.9.0)",)


def test_what_raceway_built_itself_is_no_program_of_the_users(tool: pins.Tool, tmp_path: Path) -> None:
    built = make_program(tmp_path / "cache" / "tools" / "hello-1.2.3-x" / "hello")
    link = tmp_path / "links" / "hello"
    link.parent.mkdir()
    link.symlink_to(built)
    assert on_path(tool, [built.parent, link.parent], {str(built): "v1.2.3", str(link): "v1.2.3"}) == (None, ())


def test_a_file_that_cannot_be_executed_and_an_empty_path_entry_are_no_candidates(
    tool: pins.Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hello").write_text("text")
    monkeypatch.chdir(tmp_path / "bin")
    assert on_path(tool, [Path(), tmp_path / "bin"], {}) == (None, ())


def test_a_silent_program_is_vouched_for_by_the_one_it_is_released_with(tool: pins.Tool, tmp_path: Path) -> None:
    host = make_tool(tool.family, name="host", beside="hello", needs_beside=("host-exec",))
    mine = make_program(tmp_path / "bin" / "host")
    hello = make_program(tmp_path / "bin" / "hello")
    table = make_pins(tool, host)

    def tell(asked: pins.Tool, program: Path) -> str | None:
        return "1.2.3" if program == hello else None

    assert locate.on_path(host, table, str(mine.parent), tell)[0] is None  # its second half is missing
    make_program(tmp_path / "bin" / "host-exec")
    assert locate.on_path(host, table, str(mine.parent), tell)[0] == mine


def test_the_cache_is_used_when_the_path_has_nothing(
    tool: pins.Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert locate.locate(tool, make_pins(tool)).where == "missing"
    built = publish(tool, keys.recipe(tool))
    place = locate.locate(tool, make_pins(tool))
    assert (place.where, place.path) == ("cache", built)


def test_a_built_tool_is_used_on_a_machine_that_has_lost_its_compiler(
    tool: pins.Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    publish(tool, keys.recipe(tool))
    monkeypatch.setattr(golang, "find", lambda minimum: None)
    assert locate.locate(tool, make_pins(tool)).where == "cache"


def test_a_missing_tool_asked_for_its_path_says_what_to_run(tool: pins.Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RacewayError, match="raceway tools build hello"):
        locate.locate(tool, make_pins(tool)).executable()

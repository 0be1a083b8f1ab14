"""A build publishes only what told the pinned version; a failure shows the last lines, the log, and leaves nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import pytest

from raceway.errors import RacewayError
from raceway.tools import ask, build, disk, golang, keys, pins, store

from .builders import make_family, make_pins, make_program, make_tool

LABEL = "go1.26.8 linux/amd64"


class FakeGo:
    """Stands for ``go list`` and ``go build``: writes the program named by ``-o``, or fails at the named step."""

    def __init__(self) -> None:
        self.fail = ""
        self.ran: list[list[str]] = []

    def stream(
        self, argv: Sequence[str], cwd: Path, env: dict[str, str], log: IO[str], on_line: Callable[[str], None]
    ) -> None:
        self.ran.append([*argv[1:2], str(cwd), env.get("GOCACHE", "")])
        if argv[1] == self.fail:
            raise golang.CommandFailed(argv, 1, ["# example/tiny", "main.go:3:1: syntax error"])
        for line in ("package example/a", "package example/b"):
            on_line(line)
        if "-o" in argv:
            make_program(Path(argv[argv.index("-o") + 1]))


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGo:
    fake = FakeGo()
    found = golang.Go(Path("/usr/bin/go"), "1.26.8", LABEL)
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(golang, "need", lambda minimum: found)
    monkeypatch.setattr(golang, "find", lambda minimum: found)
    monkeypatch.setattr(golang, "setting", lambda go, name: tmp_path / "go-build")
    monkeypatch.setattr(golang, "stream", fake.stream)
    monkeypatch.setattr(ask, "version", lambda tool, program: "1.2.3")
    return fake


@pytest.fixture
def tool(tmp_path: Path) -> pins.Tool:
    return make_tool(make_family(tmp_path), package="./hello")


def left_over() -> list[str]:
    return sorted(path.name for path in store.root().iterdir() if path.is_dir())


def test_a_build_is_found_afterwards_and_leaves_no_work_folder(go: FakeGo, tool: pins.Tool) -> None:
    build.build([tool], make_pins(tool), show=False)
    assert store.find(tool, keys.recipe(tool), LABEL)
    assert left_over() == [f"hello-1.2.3-{keys.key(keys.recipe(tool), LABEL)}"]


def test_no_command_runs_inside_the_recipes_own_folder(go: FakeGo, tool: pins.Tool) -> None:
    build.build([tool], make_pins(tool), show=False)
    assert [words[0] for words in go.ran] == ["list", "build"]
    assert all(str(tool.family.folder) not in words[1] for words in go.ran)
    assert sorted(path.name for path in tool.family.folder.iterdir()) == ["go.mod"]


@pytest.mark.parametrize("step", ["list", "build"])
def test_a_failed_step_shows_the_last_lines_and_the_log(go: FakeGo, tool: pins.Tool, step: str) -> None:
    go.fail = step
    with pytest.raises(RacewayError) as caught:
        build.build([tool], make_pins(tool), show=False)
    assert "main.go:3:1: syntax error" in caught.value.message()
    assert caught.value.log == str(build.log_path(tool.family))
    assert left_over() == []


def test_a_program_that_tells_another_version_is_not_published(
    go: FakeGo, tool: pins.Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "version", lambda tool, program: "1.2.4")
    with pytest.raises(RacewayError, match=r"tells version 1\.2\.4; allowed: 1\.2\.3"):
        build.build([tool], make_pins(tool), show=False)
    assert left_over() == []


def test_tools_built_before_a_failure_are_kept(go: FakeGo, tool: pins.Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = make_tool(tool.family, name="bad", package="./bad")
    monkeypatch.setattr(ask, "version", lambda asked, program: None if asked.name == "bad" else "1.2.3")
    with pytest.raises(RacewayError):
        build.build([tool, bad], make_pins(tool, bad), show=False)
    assert store.find(tool, keys.recipe(tool), LABEL)
    assert len(left_over()) == 1


def test_a_family_that_needs_preparing_is_made_whole(go: FakeGo, tmp_path: Path) -> None:
    family = make_family(tmp_path, prepare="generate.py")
    one, other = make_tool(family, package="./a"), make_tool(family, name="other", package="./b")
    build.build([one], make_pins(one, other), show=False)
    assert store.find(other, keys.recipe(other), LABEL)


def test_what_another_process_built_while_we_waited_is_not_built_again(go: FakeGo, tool: pins.Tool) -> None:
    build.build([tool], make_pins(tool), show=False)
    go.ran.clear()
    build.build([tool], make_pins(tool), show=False)
    assert go.ran == []


def test_a_short_disk_gets_a_private_build_cache_that_is_dropped_when_done(
    go: FakeGo, tool: pins.Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "choose", lambda families, cache: tmp_path / "cache" / "gocache")
    disk.private_cache(tool.family).mkdir(parents=True)
    go.fail = "build"
    with pytest.raises(RacewayError):
        build.build([tool], make_pins(tool), show=False)
    assert disk.private_cache(tool.family).is_dir()  # kept, so that the next run goes on
    go.fail = ""
    build.build([tool], make_pins(tool), show=False)
    assert {words[2] for words in go.ran} == {str(disk.private_cache(tool.family))}
    assert not disk.private_cache(tool.family).exists()


def test_progress_without_a_terminal_is_plain_lines(
    go: FakeGo, tool: pins.Tool, capsys: pytest.CaptureFixture[str]
) -> None:
    build.build([tool], make_pins(tool), show=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[00:00] tiny: Tiny: prepares"
    assert lines[-1].endswith("tiny: done in 0 s: hello")
    assert not any("\x1b" in line for line in lines)


def test_the_language_host_is_made_without_a_compiler(
    go: FakeGo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golang, "need", lambda minimum: pytest.fail("asked for a compiler"))
    family = make_family(tmp_path, name="langhost", builder="langhost")
    (family.folder / "host.py").write_text("# python\n")
    host = make_tool(family, name="pulumi-language-python")
    build.build([host], make_pins(host), show=False)
    made = store.find(host, keys.recipe(host), "langhost")
    assert made and sorted(path.name for path in made.parent.iterdir()) == [
        "langhost",
        "pulumi-language-python",
        "record.json",
    ]

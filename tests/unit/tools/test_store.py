"""The cache shows whole builds only, notices changed ones, sweeps what killed builds left, and locks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from raceway.tools import keys, pins, store

from .builders import make_family, make_tool, publish

GO = "go1.26.8 linux/amd64"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pins.Tool:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    return make_tool(make_family(tmp_path))


def test_a_published_build_is_found_under_its_recipe_and_compiler_only(tool: pins.Tool) -> None:
    program = publish(tool)
    assert program == store.root() / f"hello-1.2.3-{keys.key('r1', GO)}" / "hello"
    assert store.find(tool, "r1", GO) == program
    assert store.find(tool, "r2", GO) is None
    assert store.find(tool, "r1", "go1.27.0 linux/amd64") is None


def test_a_folder_without_a_record_is_not_a_build(tool: pins.Tool) -> None:
    program = publish(tool)
    (program.parent / store.RECORD).unlink()
    assert store.find(tool, "r1", GO) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "hello"}'])
def test_a_record_cut_short_is_not_a_record(tool: pins.Tool, text: str) -> None:
    program = publish(tool)
    (program.parent / store.RECORD).write_text(text)
    assert store.find(tool, "r1", GO) is None


def test_a_program_of_another_size_is_not_used(tool: pins.Tool) -> None:
    program = publish(tool)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert store.find(tool, "r1", GO) is None


def test_a_program_of_the_same_size_with_other_content_is_not_used(tool: pins.Tool) -> None:
    program = publish(tool)
    program.write_text("#!/bin/xx\n")
    os.utime(program, ns=(1, 1))
    assert store.find(tool, "r1", GO) is None


def test_a_program_only_touched_is_still_good(tool: pins.Tool) -> None:
    program = publish(tool)
    os.utime(program)
    assert store.find(tool, "r1", GO) == program


def test_the_whole_check_sees_a_change_that_size_and_time_hide(tool: pins.Tool) -> None:
    program = publish(tool)
    record = store.read(program.parent)
    assert record is not None
    program.write_text("#!/bin/xx\n")
    os.utime(program, ns=(record.mtime_ns, record.mtime_ns))
    assert store.intact(program, record)
    assert not store.intact(program, record, whole=True)


def test_publishing_again_replaces_a_spoilt_build(tool: pins.Tool) -> None:
    publish(tool).write_text("spoilt")
    program = publish(tool)
    assert store.find(tool, "r1", GO) == program
    assert [path.name for path in store.root().iterdir() if path.is_dir()] == [program.parent.name]


def test_the_record_holds_the_checksum_of_the_program(tool: pins.Tool) -> None:
    program = publish(tool)
    assert json.loads((program.parent / store.RECORD).read_text())["sha256"] == keys.of_file(program)


def test_a_half_made_folder_is_ignored_and_swept_by_the_next_build(tool: pins.Tool) -> None:
    left = store.root() / ".work-tiny-killed" / "out"
    left.mkdir(parents=True)
    (left / "hello").write_text("half")
    other = store.root() / ".work-other-running"
    other.mkdir()
    assert store.find(tool, "r1", None) is None
    publish(tool)
    assert not left.parent.exists()
    assert other.exists()  # another family's build may be running: its lock is not ours


def test_a_work_folder_left_by_a_build_killed_at_its_very_end_is_swept_unless_somebody_builds(tool: pins.Tool) -> None:
    publish(tool)
    left = store.root() / ".work-tiny-x"
    left.mkdir()
    with store.lock(tool.family, lambda: None):
        assert store.tidy([tool.family]) == [] and left.exists()
    assert store.tidy([tool.family]) == [left] and not left.exists()
    assert store.tidy([tool.family]) == []


def test_a_failed_build_leaves_no_work_folder(tool: pins.Tool) -> None:
    with pytest.raises(KeyboardInterrupt), store.lock(tool.family, lambda: None), store.work(tool.family) as work:
        (work / "x").write_text("x")
        raise KeyboardInterrupt
    assert [path.name for path in store.root().iterdir()] == [".lock-tiny"]


def test_a_second_builder_of_the_same_family_is_told_to_wait(tool: pins.Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Waits(Exception):
        pass

    def waiting() -> None:
        raise Waits  # instead of blocking for ever in this test

    with store.lock(tool.family, waiting):
        with pytest.raises(Waits), store.lock(tool.family, waiting):
            pass
        with store.lock(make_family(Path(tool.family.folder.parent), name="other"), waiting):
            pass  # another family is free
    with store.lock(tool.family, waiting):
        pass  # and free again

"""Whole files carried out: exact originals, folders made and removed, attributes alone, nothing lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raceway.apply import file
from raceway.apply.outcome import Applying, Refused
from raceway.host import Ledger
from raceway.model.plan import Step

from ..builders import FakeHost, make_step, make_tree


def make_run(root: Path, files: dict[str, str] | None = None) -> Applying:
    host = FakeHost(make_tree(root, files or {}))
    return Applying(host, Ledger(host))


def write(path: str, content: str = "new\n", mode: int = 0o644) -> Step:
    return make_step("file", path=path, content=content, mode=mode)


def restore(path: str) -> Step:
    return make_step("file_restore", path=path)


def test_a_file_is_given_back_byte_for_byte_with_its_mode(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    (tmp_path / "a").write_bytes(b"old\r\n\xff\x00")
    (tmp_path / "a").chmod(0o604)
    file.write_file(run, write("/a"))
    assert (tmp_path / "a").read_text() == "new\n"
    file.restore_file(run, restore("/a"))
    assert (tmp_path / "a").read_bytes() == b"old\r\n\xff\x00"
    assert (tmp_path / "a").stat().st_mode & 0o7777 == 0o604
    assert run.ledger.owned("file") == {}


def test_folders_made_for_a_file_go_with_it_and_those_with_other_content_stay(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    file.write_file(run, write("/srv/a/b/c"))
    (tmp_path / "srv/mine").write_text("x")
    file.restore_file(run, restore("/srv/a/b/c"))
    assert sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "srv").rglob("*")) == ["srv/mine"]


def test_two_files_in_one_new_folder_leave_none_behind(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    steps = [write("/srv/a"), write("/srv/b")]
    file.prepare(run, steps)
    for step in steps:
        file.write_file(run, step)
    for path in ("/srv/a", "/srv/b"):
        file.restore_file(run, restore(path))
    assert not (tmp_path / "srv").exists()


def test_only_the_first_original_is_kept_over_many_changes(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"/a": "first"})
    for content in ("second", "third"):
        file.write_file(run, write("/a", content))
    file.restore_file(run, restore("/a"))
    assert (tmp_path / "a").read_text() == "first"


def test_a_file_that_cannot_be_read_is_not_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, {"/a": "old"})
    monkeypatch.setattr(run.host, "read", lambda path: None)
    with pytest.raises(OSError, match="it cannot be read"):
        file.prepare(run, [write("/a")])
    assert (tmp_path / "a").read_text() == "old"


def test_attributes_are_set_without_touching_the_content(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"/a": "x"})
    inode = (tmp_path / "a").stat().st_ino
    file.set_attributes(run, make_step("file_attributes", path="/a", mode=0o600))
    info = (tmp_path / "a").stat()
    assert (info.st_mode & 0o7777, info.st_ino, (tmp_path / "a").read_text()) == (0o600, inode, "x")


def test_an_unknown_owner_is_refused_by_name(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    step = make_step("file", path="/a", content="x", mode=0o600, owner="no-such")
    with pytest.raises(Refused, match=r"^/a cannot be written: there is no user no-such$"):
        file.write_file(run, step)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(("path", "calls"), [("/etc/systemd/system/x.service", 1), ("/etc/x", 0)])
def test_only_units_ask_for_a_reload(tmp_path: Path, path: str, calls: int) -> None:
    host = FakeHost(tmp_path, {"systemctl": ""})
    run = Applying(host, Ledger(host))
    file.write_file(run, write(path))
    file.restore_file(run, restore(path))
    run.settle()
    run.settle()
    assert host.calls.count("systemctl daemon-reload") == calls


def test_an_error_of_the_disk_is_told_with_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path)
    file.prepare(run, [write("/a")])

    def full(*given: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(run.host, "write", full)
    with pytest.raises(Refused, match=r"^/a cannot be written: No space left on device$"):
        file.write_file(run, write("/a"))

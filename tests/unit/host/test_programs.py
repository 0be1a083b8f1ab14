"""Programs by their sum: put in place only if right, and never half."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from raceway.host import Host
from raceway.host.programs import NOTES, WrongSum, copy, known_sum, note, put, sum_of

TEXT = b"#!/bin/sh\nexit 0\n"
SUM = hashlib.sha256(TEXT).hexdigest()


def make_host(root: Path) -> Host:
    (root / "srv").mkdir()
    (root / "srv/tool").write_bytes(TEXT)
    return Host(str(root))


def test_a_program_is_put_in_place_and_can_be_run(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    put(host, "/srv/tool", "/usr/local/bin/tool", SUM)
    place = tmp_path / "usr/local/bin/tool"
    assert place.read_bytes() == TEXT and place.stat().st_mode & 0o777 == 0o755
    assert sum_of(host, "/usr/local/bin/tool") == SUM


def test_another_file_than_declared_leaves_what_stands_there(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    (tmp_path / "srv/other").write_text("other")
    put(host, "/srv/tool", "/bin/tool", SUM)
    with pytest.raises(WrongSum, match="/srv/other has the SHA-256 d9298a10"):
        put(host, "/srv/other", "/bin/tool", SUM)
    assert sum_of(host, "/bin/tool") == SUM and [p.name for p in (tmp_path / "bin").iterdir()] == ["tool"]


def test_a_source_that_is_not_there_is_the_systems_own_word(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        put(make_host(tmp_path), "/srv/none", "/bin/tool", SUM)
    assert list((tmp_path / "bin").iterdir()) == []


def test_what_is_not_there_has_no_sum(tmp_path: Path) -> None:
    assert sum_of(Host(str(tmp_path)), "/bin/tool") == ""


def test_a_copy_keeps_content_and_mode(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    put(host, "/srv/tool", "/bin/tool", SUM)
    copy(host, "/bin/tool", "/kept/bin/tool")
    assert (tmp_path / "kept/bin/tool").stat().st_mode & 0o777 == 0o755 and sum_of(host, "/kept/bin/tool") == SUM


def test_a_noted_sum_holds_until_somebody_touches_the_file(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    note(host, "/srv/tool", "noted")
    assert known_sum(host, "/srv/tool") == "noted"
    (tmp_path / "srv/tool").write_bytes(TEXT)  # the same content, at another time
    assert known_sum(host, "/srv/tool") == SUM


def test_a_replaced_file_of_the_same_size_and_times_is_read_again(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    note(host, "/srv/tool", SUM)
    info = (tmp_path / "srv/tool").stat()
    other = tmp_path / "srv/other"
    other.write_bytes(TEXT.replace(b"0", b"1"))
    os.utime(other, ns=(info.st_atime_ns, info.st_mtime_ns))
    other.replace(tmp_path / "srv/tool")
    assert known_sum(host, "/srv/tool") not in ("", SUM)


def test_notes_go_with_the_last_program_and_broken_ones_are_none(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    note(host, "/srv/tool", SUM)
    note(host, "/srv/tool", "")
    assert not host.exists(NOTES)
    host.write(NOTES, "[broken")
    assert known_sum(host, "/srv/tool") == SUM

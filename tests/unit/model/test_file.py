"""File declarations: modes as they were written, and no content in anything printed."""

from __future__ import annotations

import pytest

from raceway.model.file import File, bad_path, mode_number, parse


@pytest.mark.parametrize(("mode", "number"), [("0644", 0o644), ("600", 0o600), ("4755", 0o4755), ("0000", 0)])
def test_an_octal_text_is_a_mode(mode: str, number: int) -> None:
    assert mode_number(mode) == number


@pytest.mark.parametrize("mode", ["", "8", "0888", "rw-r--r--", "0o644", "064400", "420 (a number)", "-644"])
def test_any_other_text_is_none(mode: str) -> None:
    assert mode_number(mode) is None


def test_a_number_from_yaml_is_never_taken_for_an_octal_text() -> None:
    (file,) = parse({"files": [{"path": "/a", "mode": 420}]}).files
    assert mode_number(file.mode) is None


def test_defaults_are_a_plain_file_of_root() -> None:
    assert parse({"files": [{"path": "/a"}]}).files == (File("/a", "", "0644", "root", "root", False, ""),)


def test_a_printed_declaration_does_not_show_its_content() -> None:
    assert "s3cr3t" not in repr(parse({"files": [{"path": "/a", "content": "s3cr3t"}]}))


@pytest.mark.parametrize("path", ["/etc/a", "/srv/a b/ü", "/var/lib/raceway-notes", "/procedures/x", "/system"])
def test_an_ordinary_path_is_good(path: str) -> None:
    assert bad_path(path) is None


@pytest.mark.parametrize("path", ["", "a", "/", "/a/..", "/a/./b", "/a\n", "/proc", "/sys/a", "/dev/a"])
def test_a_path_that_cannot_be_a_files_is_bad(path: str) -> None:
    assert bad_path(path)

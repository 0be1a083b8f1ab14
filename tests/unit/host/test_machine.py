"""The Host on a tree: whole files or none, exact bytes, no program for a tree, results instead of exceptions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from raceway.host import Host


def test_a_path_below_a_root_stays_below_it(tmp_path: Path) -> None:
    assert Host(str(tmp_path)).path("/etc/x") == str(tmp_path / "etc/x")
    assert Host().path("/etc/x") == "/etc/x"


@pytest.mark.parametrize("data", [b"a\r\nb\n", b"\xff\xfe bytes", "ünïcode\n".encode(), b""])
def test_what_is_read_is_written_back_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    host = Host(str(tmp_path))
    (tmp_path / "from").write_bytes(data)
    host.write("/to", host.read("/from") or "")
    assert (tmp_path / "to").read_bytes() == data


def test_a_file_that_is_not_there_reads_as_none(tmp_path: Path) -> None:
    assert Host(str(tmp_path)).read("/none") is None


def test_a_write_makes_parents_and_sets_the_mode_whatever_the_umask(tmp_path: Path) -> None:
    former = os.umask(0o077)
    try:
        Host(str(tmp_path)).write("/a/b/c", "x", mode=0o664)
    finally:
        os.umask(former)
    assert stat.S_IMODE((tmp_path / "a/b/c").stat().st_mode) == 0o664


@pytest.mark.parametrize("broken", ["rename", "fsync", "fchmod"])
def test_a_write_that_fails_leaves_the_former_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (tmp_path / "f").write_text("former")

    def fail(*given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail)
        with pytest.raises(OSError, match="No space left"):
            Host(str(tmp_path)).write("/f", "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"f": "former"}


def test_the_new_content_is_never_readable_by_others_before_its_mode_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    rename = os.rename
    fchmod = os.fchmod
    monkeypatch.setattr(os, "fchmod", lambda fd, mode: (seen.append(os.fstat(fd).st_mode & 0o777), fchmod(fd, mode)))
    monkeypatch.setattr(os, "rename", lambda a, b: (seen.append(Path(a).stat().st_mode & 0o777), rename(a, b)))
    Host(str(tmp_path)).write("/key", "secret", mode=0o640)
    assert seen == [0o600, 0o640]


def test_what_a_killed_run_left_is_overwritten_by_the_next_write(tmp_path: Path) -> None:
    (tmp_path / ".raceway-f.new").write_text("half")
    Host(str(tmp_path)).write("/f", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_planted_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("safe")
    (tmp_path / ".raceway-f.new").symlink_to(tmp_path / "victim")
    Host(str(tmp_path)).write("/f", "new")
    assert (tmp_path / "victim").read_text() == "safe"


def test_an_unknown_owner_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="there is no user nobody-such"):
        Host(str(tmp_path)).write("/f", "x", owner="nobody-such")
    assert list(tmp_path.iterdir()) == []


def test_stat_tells_kind_mode_and_owner_without_following_links(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    host.write("/f", "x", mode=0o640)
    (tmp_path / "l").symlink_to("f")
    info = host.stat("/f")
    assert info is not None and (info.kind, info.mode, info.uid) == ("file", 0o640, os.getuid())
    assert [getattr(host.stat(path), "kind", None) for path in ("/", "/l", "/none")] == ["dir", "link", None]


def test_a_dangling_link_exists_and_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to("nowhere")
    host = Host(str(tmp_path))
    assert (host.exists("/l"), host.is_folder("/l"), host.readlink("/l")) == (True, False, "nowhere")


def test_glob_and_listdir_speak_of_paths_as_seen_from_the_root(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    host.write("/etc/b.conf", "")
    host.write("/etc/a.conf", "")
    assert host.glob("/etc/*.conf") == ["/etc/a.conf", "/etc/b.conf"]
    assert (host.listdir("/etc"), host.listdir("/none")) == (["a.conf", "b.conf"], [])


def test_removing_what_is_not_there_is_fine_and_a_full_folder_stays(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    host.write("/d/f", "x")
    host.remove("/none")
    host.rmdir("/d")
    host.rmdir("/none")
    assert (tmp_path / "d/f").exists()
    host.remove("/d/f")
    host.rmdir("/d")
    assert not (tmp_path / "d").exists()


def test_set_mode_keeps_owner_and_content(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    host.write("/f", "x")
    host.set_mode("/f", 0o600)
    assert (stat.S_IMODE((tmp_path / "f").stat().st_mode), host.read("/f")) == (0o600, "x")


def test_no_program_is_run_for_a_tree(tmp_path: Path) -> None:
    assert Host(str(tmp_path)).run(["true"]).rc == 127  # the guard would fail the test if one were started


def test_a_program_that_is_not_there_is_a_result_and_no_exception() -> None:
    done = Host().run(["raceway-no-such-program"])
    assert (done.rc, done.err) == (127, "raceway-no-such-program: not found")


@pytest.mark.allow("exec", reason="that a hung program ends is shown with a program")
def test_a_program_that_hangs_ends_at_its_time_limit() -> None:
    done = Host().run(["sleep", "30"], timeout=0.2)
    assert (done.rc, "no answer within" in done.err) == (124, True)


@pytest.mark.allow("exec", reason="output, input and the C locale are shown with a program")
def test_a_program_gets_its_input_and_the_c_locale() -> None:
    done = Host().run(["sh", "-c", "cat; echo $LC_ALL; echo why >&2; exit 3"], stdin="in\n")
    assert (done.rc, done.out, done.err) == (3, "in\nC\n", "why\n")


@pytest.mark.allow("exec", reason="a file that is no program is tried as one")
def test_a_program_that_cannot_be_run_is_a_result(tmp_path: Path) -> None:
    program = tmp_path / "broken"
    program.write_text("")
    program.write_bytes(b"\x7fELF not really")
    program.chmod(0o755)
    assert Host().run([str(program)]).rc == 126


def test_first_returns_the_first_path_that_exists(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    host.write("/b", "")
    assert (host.first(["/a", "/b"]), host.first(["/a"])) == ("/b", None)


def test_a_poke_into_a_kernel_file_that_is_not_there_raises_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Host(str(tmp_path)).poke("/proc/sys/no/such", "1")

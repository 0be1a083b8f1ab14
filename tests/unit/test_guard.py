"""Each guard of tests/conftest.py bites, and lets through what a unit test may do."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bites = Callable[[str], Any]
# Absent, so that nothing is lost should a guard not bite; in the checkout, which may lie below a temporary folder.
OUTSIDE = Path(__file__).with_suffix(".never-written")


@pytest.mark.parametrize(
    "start",
    [
        lambda: subprocess.run(["true"], check=False),
        lambda: subprocess.Popen("true", shell=True),  # noqa: S602 - it must be refused too
        lambda: os.system("true"),  # noqa: S605
        lambda: os.execv("/bin/true", ["true"]),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        os.fork,
    ],
    ids=["run", "shell", "system", "exec", "posix_spawn", "fork"],
)
def test_no_program_can_be_started(start: Callable[[], Any], bites: Bites) -> None:
    with bites("starts no program"):
        start()


def test_no_other_process_can_be_signalled(bites: Bites) -> None:
    with bites("signals no other process"):
        os.kill(os.getppid(), signal.SIGCONT)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
@pytest.mark.parametrize("call", ["connect", "bind"])
def test_no_network_can_be_reached(family: socket.AddressFamily, call: str, bites: Bites) -> None:
    address = ("127.0.0.1", 9) if family == socket.AF_INET else ("::1", 9)
    with socket.socket(family) as plug, bites("reaches no network"):
        getattr(plug, call)(address)


def test_no_name_can_be_looked_up(bites: Bites) -> None:
    with bites("reaches no network"):
        socket.getaddrinfo("localhost", 80)


def test_a_unix_socket_below_tmp_path_is_allowed() -> None:
    # The path of a unix socket is short by its nature, tmp_path often is not.
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as plug:
        plug.bind(f"{folder}/s")
        assert Path(folder, "s").is_socket()


@pytest.mark.parametrize(
    "write",
    [
        lambda: OUTSIDE.write_text("x"),
        lambda: os.open(OUTSIDE, os.O_RDWR | os.O_CREAT),
        lambda: OUTSIDE.open("a"),
        lambda: OUTSIDE.mkdir(),
        lambda: OUTSIDE.symlink_to("x"),
        lambda: OUTSIDE.unlink(),
        lambda: OUTSIDE.touch(),
        lambda: OUTSIDE.rmdir(),
        lambda: Path(__file__).chmod(0o644),
        lambda: os.utime(__file__),
        lambda: os.truncate(OUTSIDE, 0),
        lambda: shutil.copy(__file__, OUTSIDE),
    ],
)
def test_no_file_outside_tmp_path_can_be_changed(write: Callable[[], Any], bites: Bites) -> None:
    with bites("a unit test writes below tmp_path only"):
        write()
    assert not OUTSIDE.exists()


@pytest.mark.parametrize("inwards", [True, False])
def test_a_rename_must_have_both_ends_below_tmp_path(inwards: bool, tmp_path: Path, bites: Bites) -> None:
    inside = tmp_path / "inside"
    inside.write_text("x")
    source, target = (OUTSIDE, inside) if inwards else (inside, OUTSIDE)
    with bites(str(OUTSIDE)):
        source.replace(target)


def test_a_link_out_of_tmp_path_is_followed(tmp_path: Path, bites: Bites) -> None:
    (tmp_path / "out").symlink_to(OUTSIDE)
    with bites(str(OUTSIDE)):
        (tmp_path / "out").write_text("x")


def test_a_folder_descriptor_does_not_hide_the_place(bites: Bites) -> None:
    folder = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        with bites(str(OUTSIDE)):
            os.mkdir(OUTSIDE.name, dir_fd=folder)
    finally:
        os.close(folder)


def test_everything_below_tmp_path_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / "a").rename(tmp_path / "c")
    (tmp_path / "c" / "b" / "link").symlink_to("file")
    shutil.rmtree(tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


def test_reading_and_bytecode_are_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fresh_module.py").write_text("VALUE = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    import fresh_module  # type: ignore[import-not-found]

    assert fresh_module.VALUE == 3
    assert Path(__file__).read_text().startswith('"""Each guard')
    assert Path(os.devnull).write_text("gone") == 4


@pytest.mark.allow("exec", reason="shows that an allowance works")
def test_a_marked_test_may_start_a_program() -> None:
    assert subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, check=True).stdout == b"7\n"


@pytest.mark.allow("exec", reason="runs pytest on a test that swallows the guard's error")
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os\ndef test_x():\n    try: os.mkdir('/never')\n    except BaseException: pass\n", "swallowed"),
        ("import pytest\n@pytest.mark.allow('exec')\ndef test_x(): pass\n", "reason="),
        ("import pytest\n@pytest.mark.allow('all', reason='long enough text')\ndef test_x(): pass\n", "exec | network"),
    ],
    ids=["swallowed", "no reason", "unknown kind"],
)
def test_a_touch_cannot_be_hidden(body: str, verdict: str, tmp_path: Path) -> None:
    room = tmp_path / "tests" / "unit"
    room.mkdir(parents=True)
    shutil.copy(Path(__file__).parents[1] / "conftest.py", room.parent)
    (room / "test_x.py").write_text(body)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    allow: x\n")
    with contextlib.chdir(tmp_path):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert verdict in done.stdout

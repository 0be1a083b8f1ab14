"""Programs within limits: bytes, time, many at once, and nothing left running, however a run ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raceway.host import Host
from raceway.host.bounded import CUT, DONE, LATE, MISSING, Job, read_some, run_all

EXEC = pytest.mark.allow("exec", reason="these are the limits of real programs")


def make_job(script: str, limit: int = 1000, timeout_s: float = 20, tail: bool = False) -> Job:
    return Job(("sh", "-c", script), limit, timeout_s, tail)


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def running(word: str) -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in line and path.parent.name != str(os.getpid()):
            yield line


def vanished(word: str, seconds: float = 10) -> bool:
    until = soon(seconds)
    while list(running(word)) and time.monotonic() < until:
        time.sleep(0.05)
    return not list(running(word))


@EXEC
def test_outputs_come_in_the_order_of_the_jobs_with_exit_codes_and_errors() -> None:
    found = run_all(Host(), [make_job("sleep 0.3; echo a"), make_job("echo b; echo oh >&2; exit 3")], soon())
    assert [one.out for one in found] == [b"a\n", b"b\n"]
    assert [(one.state, one.rc, one.err) for one in found] == [(DONE, 0, ""), (DONE, 3, "oh\n")]


@EXEC
def test_the_beginning_of_a_long_output_is_kept_and_its_program_ended() -> None:
    (found,) = run_all(Host(), [make_job("yes 0123456789", limit=22)], soon())
    assert (found.state, found.out) == (CUT, b"0123456789\n0123456789\n")
    assert found.seconds < 10


@EXEC
def test_the_end_is_kept_where_the_end_is_wanted() -> None:
    (found,) = run_all(Host(), [make_job("seq 1 5000", limit=10, tail=True)], soon())
    assert (found.state, found.out, found.rc) == (CUT, b"4999\n5000\n", 0)


@EXEC
def test_a_program_out_of_time_is_ended_with_all_it_started_and_what_it_said_is_kept() -> None:
    word = f"31.{os.getpid()}1"
    (found,) = run_all(Host(), [make_job(f"echo begun; sleep {word} & sleep {word}", timeout_s=0.5)], soon())
    assert (found.state, found.out) == (LATE, b"begun\n")
    assert found.seconds < 5
    assert vanished(word)


@EXEC
def test_a_grandchild_that_leaves_the_group_and_holds_the_pipe_hangs_nobody() -> None:
    word = f"8.{os.getpid()}2"
    began = time.monotonic()
    (found,) = run_all(Host(), [make_job(f"echo a; setsid sleep {word} &", timeout_s=0.5)], soon())
    assert found.out == b"a\n"
    assert time.monotonic() - began < 6


@EXEC
def test_after_the_deadline_nothing_more_is_begun() -> None:
    jobs = [make_job("sleep 9"), make_job("echo never")]
    first, second = run_all(Host(), jobs, soon(0.5), width=1)
    assert first.state == LATE
    assert (second.state, second.out) == (LATE, b"")


@EXEC
def test_when_nobody_waits_any_more_everything_is_ended_at_once() -> None:
    word = f"32.{os.getpid()}3"
    asked = iter([False, False, True])
    with pytest.raises(BrokenPipeError, match="nobody waits"):
        run_all(Host(), [make_job(f"sleep {word}")], soon(), gone=lambda: next(asked, True))
    assert vanished(word)


@EXEC
def test_more_jobs_than_may_run_at_once_all_run() -> None:
    found = run_all(Host(), [make_job(f"echo {number}") for number in range(20)], soon(), width=3)
    assert [one.out for one in found] == [f"{number}\n".encode() for number in range(20)]


def test_a_program_that_is_not_there_is_missing_by_its_name() -> None:
    jobs = [Job(("no-such-tool-here",), 10, 1), Job(("timeout", "--signal=INT", "5", "no-such-tool-here", "x"), 10, 1)]
    found = run_all(Host(), jobs, soon())
    assert [(one.state, one.err) for one in found] == [(MISSING, "no-such-tool-here: not found on this node")] * 2


def test_no_program_is_run_for_a_recorded_tree(tmp_path: Path) -> None:
    (found,) = run_all(Host(str(tmp_path)), [make_job("echo a")], soon())
    assert found.state == MISSING


def test_a_file_is_read_within_its_limit(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"0123456789")
    host = Host(str(tmp_path))
    assert read_some(host, "/long", 4) == (b"0123", True)
    assert read_some(host, "/long", 10) == (b"0123456789", False)


def test_what_is_no_ordinary_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    host = Host(str(tmp_path))
    assert [read_some(host, path, 10) for path in ("/pipe", "/dangling", "/absent", "/")] == [None] * 4


@EXEC
def test_what_runs_ends_by_its_own_limit_where_the_program_itself_is_killed() -> None:
    word = f"33.{os.getpid()}4"
    code = (
        "import time\nfrom raceway.host import Host\nfrom raceway.host.bounded import Job, run_all\n"
        f"run_all(Host(), [Job(('sleep', '{word}'), 10, 1.0)], time.monotonic() + 60, width=1)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    until = soon(10)
    while not any("/sleep\0" in line for line in running(word)) and time.monotonic() < until:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert any("/sleep\0" in line for line in running(word)), "it never ran, so its end proves nothing"
    assert vanished(word, 15)

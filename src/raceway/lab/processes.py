"""Finds, watches and ends the processes of one lab: by a mark in their environment, never by name or bare pid.

Every process a lab starts carries RACEWAY_LAB_ID=<id of the lab>, so it is found even when a kill came between the
fork and the note of its pid. A signal goes through a pidfd taken before the mark is read again: it cannot reach another
process that got the same pid. It deliberately ends nothing that does not carry the exact id.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MARK = "RACEWAY_LAB_ID"
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Process:
    """A process as an identity: the start time tells it from a later one with the same pid."""

    pid: int
    started: int
    command: tuple[str, ...] = ()


def start_time(pid: int, proc: Path = Path("/proc")) -> int | None:
    """Clock ticks after boot at which ``pid`` started; None when it is gone or only waits to be reaped."""
    try:
        # `123 (name with) spaces) S 1 …`: the name may hold anything, so count from its last bracket.
        fields = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def alive(process: Process, proc: Path = Path("/proc")) -> bool:
    """Is exactly this process there?"""
    return start_time(process.pid, proc) == process.started


def of_lab(lab_id: str, proc: Path = Path("/proc")) -> list[Process]:
    """All processes that carry the lab's mark, without the caller."""
    return [found for pid in _pids(proc) if pid != os.getpid() and (found := marked(pid, lab_id, proc))]


def with_argument(word: str, proc: Path = Path("/proc")) -> list[Process]:
    """All processes that have exactly ``word`` as an argument, without the caller."""
    found = []
    for pid in _pids(proc):
        try:
            words = (proc / str(pid) / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        started = start_time(pid, proc)
        if word.encode() in words and started is not None and pid != os.getpid():
            found.append(Process(pid, started))
    return found


def lab_ids(word: str, proc: Path = Path("/proc")) -> list[str]:
    """The marks of all processes that have exactly ``word`` as an argument: how a lab without a record is found."""
    found = set()
    for process in with_argument(word, proc):
        with contextlib.suppress(OSError):
            for entry in (proc / str(process.pid) / "environ").read_bytes().split(b"\0"):
                if entry.startswith(f"{MARK}=".encode()):
                    found.add(entry.partition(b"=")[2].decode(errors="replace"))
    return sorted(found)


def marked(pid: int, lab_id: str, proc: Path = Path("/proc")) -> Process | None:
    """The process if it carries the mark."""
    try:
        environment = (proc / str(pid) / "environ").read_bytes().split(b"\0")
        words = (proc / str(pid) / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return None
    started = start_time(pid, proc)
    if started is None or f"{MARK}={lab_id}".encode() not in environment:
        return None
    return Process(pid, started, tuple(word.decode(errors="replace") for word in words))


def send(process: Process, lab_id: str, number: signal.Signals) -> bool:
    """Signal exactly this process; False when it is gone or is not the lab's."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        found = marked(process.pid, lab_id)
        if not found or found.started != process.started:
            return False
        signal.pidfd_send_signal(descriptor, number)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def end(processes: list[Process], lab_id: str, patience: float = 15.0) -> list[Process]:
    """SIGTERM, wait, SIGKILL what is left (without patience: at once); return what is still there even then."""
    steps = ((signal.SIGTERM, patience), (signal.SIGKILL, 10.0))
    for number, seconds in steps if patience else steps[1:]:
        for process in processes:
            send(process, lab_id, number)
        until = time.monotonic() + seconds
        while (processes := [one for one in processes if alive(one)]) and time.monotonic() < until:
            time.sleep(0.05)
        if not processes:
            break
    return processes


def die_with_parent() -> Callable[[], None]:
    """For preexec_fn: the kernel ends the child when the process that started it goes, also if that is already so."""
    library, parent = ctypes.CDLL(None, use_errno=True), os.getpid()

    def prepare() -> None:
        library.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return prepare


def call(command: list[str], environment: dict[str, str], log: IO[bytes], tick: Callable[[], None]) -> int:
    """Run to the end, calling ``tick`` twice a second; the child ends with us, whatever ends us."""
    child = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent()
    )
    descriptor = os.pidfd_open(child.pid)
    try:
        while not select.select([descriptor], [], [], 0.5)[0]:
            tick()
        return child.wait()
    finally:
        os.close(descriptor)
        if child.poll() is None:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(5)
            child.kill()
            child.wait()


def _pids(proc: Path) -> Iterator[int]:
    for entry in proc.iterdir():
        if entry.name.isdigit():
            yield int(entry.name)

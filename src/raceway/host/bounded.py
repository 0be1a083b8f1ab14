"""Runs many programs at once, each within a limit of time and of bytes, and reads files within a limit.

A program gets a process group of its own and, where the node has it, ``timeout`` before it: should this process be
killed, none of them runs on for longer. It deliberately writes no file: what a program prints is kept in memory.
"""

from __future__ import annotations

import os
import signal
import stat
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .machine import Host

WIDTH = 8  # programs at once: most wait for firmware, and a node in trouble must not be loaded further
STEP_S = 0.2
PATIENCE_S = 2.0  # how long the output of a program that was ended is waited for
DONE, CUT, LATE, MISSING, DENIED = "done", "cut", "late", "missing", "denied"
ENOUGH_ERRORS = 4096


@dataclass(frozen=True)
class Job:
    """One program. ``limit``: bytes kept, the end of them with ``tail``; ``timeout_s`` from its start."""

    argv: Tuple[str, ...]
    limit: int
    timeout_s: float
    tail: bool = False


@dataclass(frozen=True)
class Output:
    """What a job left. ``state``: done (``rc`` counts), cut, late, missing or denied (``err`` says why)."""

    state: str
    rc: int = 0
    out: bytes = b""
    err: str = ""
    seconds: float = 0.0


class _Running:
    """A program that has been started."""

    def __init__(self, process: Any, job: Job) -> None:
        self.process, self.job = process, job
        self.began = time.monotonic()
        self.out, self.err, self.cut = bytearray(), bytearray(), False
        self.open = 2

    def take(self, is_error: bool, chunk: bytes) -> None:
        """Keep what the limits allow of a piece of output."""
        if is_error:
            self.err += chunk[: ENOUGH_ERRORS - len(self.err)]
            return
        self.out += chunk
        if len(self.out) > self.job.limit:
            self.cut = True
            if self.job.tail:
                del self.out[: -self.job.limit]
                return
            del self.out[self.job.limit :]
            self.stop()

    def stop(self) -> None:
        """End the program and all it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return


def run_all(
    host: Host, jobs: Sequence[Job], deadline: float, gone: Callable[[], bool] = lambda: False, width: int = WIDTH
) -> List[Output]:
    """Run all jobs and return their outputs in order. ``deadline``: of ``time.monotonic``; ``gone``: nobody waits."""
    import selectors

    outputs: Dict[int, Output] = {}
    running: Dict[int, _Running] = {}
    waiting = list(enumerate(jobs))[::-1]
    selector = selectors.DefaultSelector()
    try:
        while waiting or running:
            while waiting and len(running) < width:
                number, job = waiting.pop()
                started = _start(host, job, deadline)
                if isinstance(started, Output):
                    outputs[number] = started
                    continue
                running[number] = started
                selector.register(started.process.stdout, selectors.EVENT_READ, (started, False))
                selector.register(started.process.stderr, selectors.EVENT_READ, (started, True))
            for key, _ in selector.select(STEP_S if running else 0):
                _read(selector, key)
            if gone():
                raise BrokenPipeError("nobody waits for the answer any more")
            for number in [number for number, one in running.items() if _ended(one, deadline)]:
                outputs[number] = _finish(selector, running.pop(number), deadline)
    finally:
        for one in running.values():
            one.stop()
            one.process.wait()
        selector.close()
    return [outputs[number] for number in range(len(jobs))]


def read_some(host: Host, path: str, limit: int) -> Optional[Tuple[bytes, bool]]:
    """Return the beginning of an ordinary file and whether it is longer; None where it cannot be read."""
    place = host.path(path)
    try:
        if not stat.S_ISREG(os.stat(place).st_mode):
            return None
        with open(place, "rb") as stream:
            found = stream.read(limit + 1)
    except OSError:
        return None
    return found[:limit], len(found) > limit


def _start(host: Host, job: Job, deadline: float) -> Any:
    """Return the running program, or the output of one that cannot run."""
    import subprocess

    wanted = job.argv[0] if job.argv[0] != "timeout" else next(w for w in job.argv[1:] if not _option(w))
    program = host.which(wanted) if host.root == "/" else None
    limiter = host.which("timeout") if host.root == "/" else None
    if program is None or (job.argv[0] == "timeout" and limiter is None):
        return Output(MISSING, 127, err=f"{wanted if program is None else 'timeout'}: not found on this node")
    if time.monotonic() >= deadline:
        return Output(LATE, 124, err="the time for the whole bundle was over before this one's turn")
    argv = list(job.argv)
    if limiter and argv[0] != "timeout":
        argv = [limiter, "--kill-after=2", f"{job.timeout_s + 5:.0f}", program, *argv[1:]]
    env = dict(os.environ, LC_ALL="C", LANG="C", PAGER="cat", SYSTEMD_PAGER="cat")
    env["PATH"] = f"{env.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin"
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen(argv, stdin=none, stdout=pipe, stderr=pipe, env=env, start_new_session=True)
    except OSError as error:
        return Output(DENIED, 126, err=f"{program}: {error.strerror}")
    return _Running(process, job)


def _option(word: str) -> bool:
    return word.startswith("-") or word.replace(".", "").isdigit()


def _read(selector: Any, key: Any) -> None:
    one, is_error = key.data
    chunk = os.read(key.fileobj.fileno(), 65536)
    if chunk:
        one.take(is_error, chunk)
    else:
        selector.unregister(key.fileobj)
        one.open -= 1


def _ended(one: _Running, deadline: float) -> bool:
    """Tell whether a program has ended and its output is read; end one that is out of time."""
    over = time.monotonic() - min(one.began + one.job.timeout_s, deadline)
    if over > 0:
        one.stop()
    # What it started may have left its group and hold the pipe open for ever.
    return (one.open == 0 or over > PATIENCE_S) and one.process.poll() is not None


def _finish(selector: Any, one: _Running, deadline: float) -> Output:
    for stream in (one.process.stdout, one.process.stderr):
        if stream in selector.get_map():
            selector.unregister(stream)
        stream.close()
    seconds = time.monotonic() - one.began
    late = seconds > one.job.timeout_s or time.monotonic() > deadline
    state = CUT if one.cut else LATE if late else DONE
    out, rc = bytes(one.out[: one.job.limit]), one.process.returncode
    return Output(state, rc, out, one.err.decode("utf-8", "replace"), seconds)

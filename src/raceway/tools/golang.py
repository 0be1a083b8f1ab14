"""Finds the Go compiler and runs it in a fixed environment, each line of output handed on as it comes.

It deliberately ignores GOFLAGS, GOOS, go.work and automatic toolchain downloads of the user's environment: they
would build something else than the pinned recipe. The proxy, checksum and module cache settings are respected.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from raceway.errors import RacewayError

# -trimpath makes builds the same in any folder, which also lets the next work folder reuse the build cache.
FLAGS = "-mod=readonly -trimpath -buildvcs=false"
DROPPED = ("GOOS", "GOARCH", "GOEXPERIMENT", "GOROOT", "GOTOOLDIR", "GO111MODULE", "GOENV")


@dataclass(frozen=True)
class Go:
    """A usable compiler. ``label`` (``go1.26.8 linux/amd64``) is part of every key."""

    program: Path
    version: str
    label: str


class CommandFailed(Exception):
    """A build command ended with an error; ``lines`` are the last ones it printed."""

    def __init__(self, argv: Sequence[str], code: int, lines: Sequence[str]) -> None:
        super().__init__(f"{' '.join(argv[:3])} … ended with {code}")
        self.lines = list(lines)


def environment() -> dict[str, str]:
    """The environment of every Go command."""
    env = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return {**env, "GOFLAGS": FLAGS, "GOWORK": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}


def parse(text: str) -> tuple[str, str] | None:
    """Read ``go version go1.26.8 linux/amd64`` into version and label."""
    found = re.search(r"\bgo(\d+\.\d+(?:\.\d+)?)\S* (\w+/\w+)", text)
    return (found.group(1), f"go{found.group(1)} {found.group(2)}") if found else None


def is_old(version: str, minimum: str) -> bool:
    """Compare release numbers part by part."""
    return [int(part) for part in version.split(".")] < [int(part) for part in minimum.split(".")]


def find(minimum: str) -> Go | None:
    """Return the compiler, or None when there is none that is new enough."""
    go = _installed()
    return go if go and not is_old(go.version, minimum) else None


def need(minimum: str) -> Go:
    """Return the compiler, or say what is missing."""
    go = _installed()
    act = f"install Go {minimum} or newer (https://go.dev/doc/install), or put the pinned tools on PATH"
    if go is None:
        raise RacewayError("go", "not on PATH and not in /usr/local/go", f"{minimum} or newer", act)
    if is_old(go.version, minimum):
        raise RacewayError(str(go.program), f"version {go.version}", f"{minimum} or newer", act)
    return go


@functools.cache
def _installed() -> Go | None:
    program = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, "version"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    read = parse(done.stdout)
    return Go(Path(program), *read) if read else None


def setting(go: Go, name: str) -> Path:
    """Return a folder from ``go env``, for instance GOCACHE."""
    done = subprocess.run(
        [str(go.program), "env", name], env=environment(), capture_output=True, text=True, timeout=30, check=True
    )
    return Path(done.stdout.strip())


def stream(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    log: IO[str],
    on_line: Callable[[str], None],
) -> None:
    """Run a command, write its output to ``log`` and hand each line on; its processes never outlive this one."""
    log.write(f"+ {' '.join(argv)}\n")
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=_die_with_parent,
    )
    tail: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            log.flush()
            tail = [*tail[-19:], line.rstrip()]
            on_line(line.rstrip())
        code = process.wait()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if code:
        raise CommandFailed(argv, code, tail)


def _die_with_parent() -> None:
    """Ask Linux to end the child when raceway is killed with -9, so that no build runs on without an owner."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)

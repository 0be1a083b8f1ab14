"""The processes a host has started: known, so that they end before it does.

It deliberately starts them in the host's own process group: an engine that kills the group takes them along.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

from .environment import Refused

STEP_SECONDS = 3.0  # from a polite signal to the next harder one


class Children:
    """Starts processes, waits for them, ends them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._prepared: dict[tuple[str, ...], subprocess.Popen[bytes]] = {}
        self.cancelled = False

    def start(self, argv: list[str], **kwargs: Any) -> subprocess.Popen[bytes]:
        """Start a process, unless the host is being cancelled."""
        with self._lock:
            if self.cancelled:
                raise Refused("cancelled")
            child: subprocess.Popen[bytes] = subprocess.Popen(argv, **kwargs)
            self._running.add(child)
            return child

    def prepare(self, argv: list[str]) -> None:
        """Start a process that waits for its order on standard input, to be taken later."""
        if tuple(argv) not in self._prepared:
            with contextlib.suppress(Refused, OSError):
                self._prepared[tuple(argv)] = self.start(argv, stdin=subprocess.PIPE)

    def take(self, argv: list[str]) -> subprocess.Popen[bytes] | None:
        """Return a prepared process that still waits, if there is one."""
        child = self._prepared.pop(tuple(argv), None)
        return child if child and child.poll() is None else None

    def drop_prepared(self) -> None:
        """End prepared processes nobody took. They have done nothing yet, so no politeness is needed."""
        while self._prepared:
            _, child = self._prepared.popitem()
            child.kill()
            self.finish(child)

    def finish(self, child: subprocess.Popen[bytes]) -> int:
        """Wait for a process and forget it."""
        code = child.wait()
        with self._lock:
            self._running.discard(child)
        return code

    def cancel(self) -> None:
        """Ask all processes to end, and end those that do not."""
        with self._lock:
            self.cancelled = True
        self.drop_prepared()
        with self._lock:
            running = list(self._running)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for child in running:
                if child.poll() is None:
                    child.send_signal(number)
            for child in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(STEP_SECONDS)


def output(child: subprocess.Popen[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield (stream, data) from both outputs of a process until it closes them."""
    assert child.stdout is not None and child.stderr is not None
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdout, selectors.EVENT_READ, "stdout")
        waiting.register(child.stderr, selectors.EVENT_READ, "stderr")
        while waiting.get_map():
            for key, _ in waiting.select():
                data = os.read(key.fd, 65536)
                if data:
                    yield key.data, data
                else:
                    waiting.unregister(key.fileobj)

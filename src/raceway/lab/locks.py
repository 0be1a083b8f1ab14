"""One writer at a time for a lab, and one for what labs share (subnets, ports, the node image).

The kernel drops the lock when its holder dies, so a kill never leaves a lab locked. It deliberately does not wait
in silence: the caller says what it waits for.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from raceway.errors import RacewayError


@contextlib.contextmanager
def exclusive(path: Path, *, busy: str = "") -> Iterator[None]:
    """Hold ``path`` alone. With ``busy`` (what to tell) fail at once when another process holds it, else wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _hold(path, busy)
    try:
        yield
    finally:
        os.close(descriptor)


def _hold(path: Path, busy: str) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
            # Whoever held it before may have removed the file at its end: then this is a lock on nothing.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise RacewayError(
                busy, "another raceway process is at work on it", act="wait for it to end, or stop it, and run again"
            ) from None
        os.close(descriptor)

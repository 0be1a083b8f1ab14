"""Writes files so that a reader sees the old text or the new one, never half of it, also after a power cut.

It deliberately does not lock: who may write a file is settled by ``locks``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, text: str | bytes, mode: int = 0o644) -> None:
    """Replace ``path`` by ``text`` with ``mode`` (temporary file beside it, fsync, rename)."""
    data = text.encode() if isinstance(text, str) else text
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        Path(temporary).rename(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_if_changed(path: Path, text: str | bytes, mode: int = 0o644) -> bool:
    """Write only when the content differs; say whether it did."""
    data = text.encode() if isinstance(text, str) else text
    if path.exists() and path.read_bytes() == data and path.stat().st_mode & 0o777 == mode:
        return False
    write(path, data, mode)
    return True


def folder(path: Path, mode: int = 0o700) -> Path:
    """Make a folder (and those above it) if it is not there."""
    path.mkdir(parents=True, exist_ok=True, mode=mode)
    return path


def last_line(log: Path) -> str:
    """Return the last line of a log that says anything, at most 100 characters; empty where there is none."""
    try:
        lines = log.read_bytes()[-2000:].decode(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:100]

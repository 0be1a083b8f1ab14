"""Programs known by their SHA-256: the sum of what is there, and a copy or download that is put in place only if right.

A sum is noted beside what the file was then (inode, size, times): a converge that changes nothing reads no program
again, where three of them cost 0.2 s of a core. It deliberately never holds a program in memory or in the ledger: they
are tens of megabytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import IO, Any, Dict, List, Optional

from .machine import Host

CHUNK = 1 << 20
NOTES = "/var/lib/raceway/sums.json"
CONNECT_TIMEOUT_S = 30.0  # without an answer for so long a mirror counts as gone; a slow one is waited for


class WrongSum(Exception):
    """What came from the source is not what was declared; the message names the sum it has."""


def sum_of(host: Host, path: str) -> str:
    """Return the SHA-256 of a file as hex digits, empty where it cannot be read."""
    try:
        with open(host.path(path), "rb") as stream:
            return _copy(stream, None)
    except OSError:
        return ""


def known_sum(host: Host, path: str) -> str:
    """Return the noted SHA-256 of a file that nobody has touched since, else read it."""
    row = _notes(host).get(path)
    return str(row[-1]) if row and row[:-1] == _state(host, path) else sum_of(host, path)


def note(host: Host, path: str, found: str) -> None:
    """Note the SHA-256 of a file as it is now; an empty one forgets it."""
    rows = _notes(host)
    rows.pop(path, None)
    state = _state(host, path)
    if found and state:
        rows[path] = [*state, found]
    if rows:
        host.write(NOTES, json.dumps(rows) + "\n", mode=0o600)
    else:
        host.remove(NOTES)


def _notes(host: Host) -> Dict[str, List[Any]]:
    try:
        rows = json.loads(host.read(NOTES) or "{}")
    except ValueError:
        return {}
    return rows if isinstance(rows, dict) else {}


def _state(host: Host, path: str) -> Optional[List[Any]]:
    try:
        info = os.stat(host.path(path))
    except OSError:
        return None
    # The change time is the kernel's own: no program sets it, so a file with the same one is the same file.
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def put(host: Host, source: str, target: str, wanted: str, mode: int = 0o755) -> None:
    """Put the file from ``source`` (a path or an http(s) address) at ``target`` if its SHA-256 is ``wanted``.

    OSError where the source cannot be had, WrongSum where it is another file; in both cases ``target`` is as before.
    """
    place = host.path(target)
    folder, name = os.path.split(place)
    os.makedirs(folder, exist_ok=True)
    # One name a target: what a killed run left is overwritten by the next one and never piles up.
    temporary = os.path.join(folder, f".raceway-{name}.new")
    try:
        with _open(host, source) as stream, open(temporary, "wb") as out:
            found = _copy(stream, out)
            out.flush()
            os.fsync(out.fileno())
        if found != wanted:
            raise WrongSum(f"{source} has the SHA-256 {found}")
        os.chmod(temporary, mode)
        os.rename(temporary, place)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def copy(host: Host, source: str, target: str) -> None:
    """Copy a file with its mode; the target is whole or as before."""
    import shutil  # dear to import, and this is done once in a node's life

    place = host.path(target)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    temporary = f"{place}.raceway-new"
    shutil.copy2(host.path(source), temporary)
    os.rename(temporary, place)


def _open(host: Host, source: str) -> Any:
    if not source.startswith(("http://", "https://")):
        return open(host.path(source), "rb")
    import urllib.error
    import urllib.request

    try:
        return urllib.request.urlopen(source, timeout=CONNECT_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        raise OSError(error.code, f"the server answers {error.code} {error.reason}", source) from None


def _copy(stream: Any, out: IO[bytes] | None) -> str:
    digest = hashlib.sha256()
    while True:
        chunk = stream.read(CHUNK)
        if not chunk:
            return digest.hexdigest()
        digest.update(chunk)
        if out is not None:
            out.write(chunk)

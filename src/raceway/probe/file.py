"""Reads content, mode and owner of every declared file and of those raceway wrote earlier."""

from __future__ import annotations

import os
from typing import Dict

from ..facts.file import FileFact, FileFacts
from ..host import Host, Ledger
from ..model.file import FileDesired, bad_path

BOOK = "file"
# Ledger sections of files that other nouns write.
OTHER_BOOKS = {"dropin": "a drop-in of raceway", "unit_file": "a declared unit", "mount_file": "a declared mount"}


def probe(host: Host, desired: FileDesired, ledger: Ledger) -> FileFacts:
    """Return what stands at each path that can be a file's."""
    owned = ledger.owned(BOOK)
    paths = dict.fromkeys([file.path for file in desired.files if not bad_path(file.path)] + list(owned))
    taken: Dict[str, str] = {}
    for book, what in OTHER_BOOKS.items():
        taken.update(dict.fromkeys(ledger.owned(book), what))
    return FileFacts({path: _fact(host, path) for path in paths}, owned, taken)


def _fact(host: Host, path: str) -> FileFact:
    info = host.stat(path)
    if info is None:
        return FileFact(blocked_by=_blocker(host, path))
    content = host.read(path) if info.kind == "file" else None
    owner, group = frozenset((info.owner, str(info.uid))), frozenset((info.group, str(info.gid)))
    return FileFact(info.kind, content, info.mode, owner, group)


def _blocker(host: Host, path: str) -> str:
    """Return the nearest existing part above a path where it leads to no folder, else the empty string."""
    folder = os.path.dirname(path)
    while not host.exists(folder):
        folder = os.path.dirname(folder)
    return "" if host.is_folder(folder) else folder

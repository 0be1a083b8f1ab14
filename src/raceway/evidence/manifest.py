"""The bundle as bytes: what is in it, what is not and why, packed within the declared size.

It deliberately leaves nothing out in silence: whatever was asked for has a row in the manifest, with the reason where
it is not there, or not whole.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Sequence, Tuple

FORMAT = 1
MANIFEST = "manifest.json"
OK, CUT, FAILED, MISSING, LATE, DENIED = "ok", "cut", "failed", "missing", "late", "denied"
LEFT_OUT, NOT_ASKED = "left out", "not asked"
PRESENT = (OK, CUT, FAILED)  # with something in the bundle
ROOM = 64 * 1024  # for the manifest and the ends of the archive


@dataclass(frozen=True)
class Row:
    """One thing that was asked for. ``data``: None where there is nothing to pack."""

    path: str
    source: str
    status: str = OK
    reason: str = ""
    data: Any = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def fit(rows: Sequence[Row], size: int) -> List[Row]:
    """Return the rows with those left out that do not fit into ``size`` packed bytes; the first ones come first."""
    kept: List[Row] = []
    room = size - ROOM
    for row in rows:
        packed = 512 + len(zlib.compress(row.data, 6)) if row.data is not None else 0
        if packed > room:
            reason = f"{packed} packed bytes do not fit into the bundle's {size}"
            kept.append(Row(row.path, row.source, LEFT_OUT, reason))
            continue
        room -= packed
        kept.append(row)
    return kept


def manifest(rows: Sequence[Row], about: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the manifest as data."""
    return {"format": FORMAT, **about, "items": [_entry(row) for row in rows]}


def _entry(row: Row) -> Dict[str, Any]:
    entry: Dict[str, Any] = {"path": row.path, "source": row.source, "status": row.status}
    if row.reason:
        entry["reason"] = row.reason
    if row.data is not None:
        entry.update(bytes=len(row.data), sha256=hashlib.sha256(row.data).hexdigest())
    return {**entry, **row.notes}


def pack(rows: Sequence[Row], data: Mapping[str, Any], top: str, when: int) -> bytes:
    """Return a tar.gz whose files lie below the folder ``top``, the manifest first. ``when``: seconds since 1970."""
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6) as archive:
        for path, content in [(MANIFEST, as_json(data)), *_members(rows)]:
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size, info.mtime, info.mode = len(content), when, 0o600
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def as_json(data: Any) -> bytes:
    """Return data as JSON people can read."""
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def _members(rows: Sequence[Row]) -> List[Tuple[str, bytes]]:
    return [(row.path, row.data) for row in rows if row.data is not None]

"""Reads a bundle: a tar.gz from a node, which is taken for what it is, a file from outside.

Nothing is unpacked to disk, only ordinary files are looked at, and none beyond the limits. It deliberately believes the
manifest only as far as the files bear it out: a file whose checksum differs is told.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.evidence.collect import DELTAS
from raceway.evidence.manifest import FORMAT, MANIFEST

LARGEST_FILE = 128 * 1024 * 1024
MOST_FILES = 20_000
SHAPE = "a bundle that playbooks/diagnose.yml wrote"
ACT = "give the path of HOST-TIME.tar.gz"


@dataclass(frozen=True)
class Bundle:
    """A bundle in memory. ``files``: path below the top folder → content. ``damaged``: what checksums contradict."""

    place: str
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes] = field(repr=False)
    damaged: tuple[str, ...] = ()

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """The rows of the manifest."""
        return list(self.manifest["items"])

    def text(self, path: str) -> str:
        """Return a text, empty where the bundle does not have it."""
        return self.files.get(path, b"").decode("utf-8", "replace")

    @property
    def deltas(self) -> Mapping[str, Any]:
        """What moved: ``seconds``, ``problems``, ``changes``; nothing where the bundle does not say it."""
        try:
            found = json.loads(self.text(DELTAS) or "{}")
        except ValueError:
            found = {}
        return {"seconds": 0, "problems": [], "changes": [], **(found if isinstance(found, dict) else {})}


def read(path: Path) -> Bundle:
    """Return the bundle in a file; RacewayError where it is none."""
    try:
        files = _files(path)
        manifest = json.loads(files[MANIFEST])
    except (tarfile.TarError, zlib.error, EOFError, ValueError, KeyError) as error:
        found = f"no bundle: {error}" if not isinstance(error, KeyError) else f"there is no {MANIFEST} in it"
        raise RacewayError(str(path), found, SHAPE, ACT) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("items"), list):
        raise RacewayError(str(path), f"{MANIFEST} has no items", SHAPE, ACT)
    if manifest.get("format") != FORMAT:
        found = f"format {manifest.get('format')!r}"
        raise RacewayError(str(path), found, f"format {FORMAT}", "read it with the raceway that made it")
    return Bundle(str(path), manifest, files, tuple(_damaged(manifest, files)))


def _files(path: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(path, mode="r:gz") as archive:
        for number, member in enumerate(archive):
            if number > MOST_FILES or member.size > LARGEST_FILE:
                raise ValueError(f"{member.name} is beyond what a bundle holds")
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                files[member.name.partition("/")[2]] = stream.read()
    return files


def _damaged(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
    rows = [row for row in manifest["items"] if isinstance(row, dict) and row.get("sha256")]
    told = [f"{row['path']} is in the manifest and not in the bundle" for row in rows if row["path"] not in files]
    for row in rows:
        if row["path"] in files and hashlib.sha256(files[row["path"]]).hexdigest() != row["sha256"]:
            told.append(f"{row['path']} is not what the manifest says")
    return told

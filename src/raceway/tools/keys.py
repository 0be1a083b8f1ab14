"""The key of a built tool: it changes when anything changes that could change the program.

It deliberately does not read a clock, the environment or the network: equal recipes give equal keys on any
machine with the same compiler.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from .pins import Tool

SKIPPED = {"__pycache__"}


def recipe(tool: Tool) -> str:
    """Digest over all files of the family's recipe and the tool's own lines of the table."""
    digest = hashlib.sha256()
    folder = tool.family.folder
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not SKIPPED.intersection(path.relative_to(folder).parts):
            _add(digest, path.relative_to(folder).as_posix().encode(), path.read_bytes())
    family = tool.family
    words = [tool.name, tool.version, tool.package, *tool.ldflags, "|", family.builder, family.prepare]
    words += [family.embed_module, *family.embed_files]
    if family.builder == "langhost":
        # The host runs with the interpreter it was made with: another virtual environment, another host.
        words.append(sys.executable)
    _add(digest, *(word.encode() for word in words))
    return digest.hexdigest()


def key(recipe_digest: str, compiler: str) -> str:
    """Short name of one build of a recipe by one compiler (``go1.26.8 linux/amd64``)."""
    return hashlib.sha256(f"{recipe_digest}\n{compiler}".encode()).hexdigest()[:12]


def of_file(path: Path) -> str:
    """The sha256 of a file's content."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _add(digest: hashlib._Hash, *parts: bytes) -> None:
    # With the length in front no two different lists of parts give the same stream.
    for part in parts:
        digest.update(f"{len(part)}:".encode() + part)

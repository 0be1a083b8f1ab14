"""The node half of the package as one content-addressed archive: the same files give the same bytes and the same name.

A node keeps it unpacked under its hash, so the controller sends it only when the hash differs. It deliberately
holds the rooms that nodes run and nothing else: no controller code, no third-party library.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOMS = ("model", "facts", "probe", "plan", "apply", "host", "checks", "evidence", "node")
HOME = "/var/lib/raceway/bundles"  # where a node keeps it
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time stamp: the archive's bytes must depend on the code alone


@dataclass(frozen=True)
class Bundle:
    """``files``: names and contents. ``digest``: sha256 of them in hex, shortened to 20 digits."""

    digest: str
    files: tuple[tuple[str, bytes], ...] = field(repr=False)

    @functools.cached_property
    def archive(self) -> str:
        """The zip file in base64; packed when a node lacks it, since the usual run sends nothing but the digest."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, content in self.files:
                info = zipfile.ZipInfo(name, _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                archive.writestr(info, content)
        return base64.b64encode(buffer.getvalue()).decode()


@functools.cache
def build() -> Bundle:
    """Return the bundle of the running package (built once a process; forked workers inherit it)."""
    home = Path(__file__).parent
    paths = [home / "__init__.py", home / "errors.py"]
    for room in ROOMS:
        paths.extend(sorted((home / room).rglob("*.py")))
    files = tuple((str(Path("raceway") / path.relative_to(home)), path.read_bytes()) for path in paths)
    digest = hashlib.sha256()
    for name, content in files:
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return Bundle(digest.hexdigest()[:20], files)


def ask(send: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
    """Give a node a request and return its answer; the program goes along where the node does not have it yet.

    ``send`` runs the node module with arguments and returns what it said.
    """
    built = build()
    arguments = {"home": HOME, "bundle": built.digest, "request": request}
    answer = send(arguments)
    return send({**arguments, "archive": built.archive}) if answer.get("bundle_missing") else answer

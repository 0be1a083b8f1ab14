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
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("model", "facts", "probe", "plan", "apply", "host", "checks", "node")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time stamp: the archive's bytes must depend on the code alone


@dataclass(frozen=True)
class Bundle:
    """``digest``: sha256 of the archive in hex, shortened to 20 digits. ``archive``: the zip file in base64."""

    digest: str
    archive: str


@functools.cache
def build() -> Bundle:
    """Return the bundle of the running package (built once a process; forked workers inherit it)."""
    home = Path(__file__).parent
    files = [home / "__init__.py", home / "errors.py"]
    for room in ROOMS:
        files.extend(sorted((home / room).rglob("*.py")))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            info = zipfile.ZipInfo(str(Path("raceway") / path.relative_to(home)), _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes())
    data = buffer.getvalue()
    return Bundle(hashlib.sha256(data).hexdigest()[:20], base64.b64encode(data).decode())

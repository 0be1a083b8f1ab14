"""Writes container images as one archive in the layout of ``docker save``, which containerd and podman import.

Equal inputs give equal bytes: files carry no date and no owner, names come in order, configurations are sorted JSON.
Layers several images share are in the archive once; the manifest stands in front, so that a reader need not go through
gigabytes to learn what is inside. It deliberately runs no container tool and compresses nothing: the archives never
leave the machine.
"""

from __future__ import annotations

import hashlib
import json
import stat
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# No clock: an image is what is in it, not when it was made.
CREATED = "1970-01-01T00:00:00Z"
BLOCK = 1 << 20


@dataclass(frozen=True)
class Image:
    """One image. ``base``: a root file system as an uncompressed tar, or None for an empty one.

    ``files``: place in the image → file on this machine, laid over the base in a layer of its own. A program in it
    stays executable, everything else is 0644.
    """

    tags: tuple[str, ...]
    base: Path | None = None
    files: tuple[tuple[str, Path], ...] = ()
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layer:
    """A layer as it lies in the archive: its digest (of the uncompressed tar), its size, and how to get its bytes."""

    digest: str
    size: int
    base: Path | None
    files: tuple[tuple[str, Path], ...]

    def chunks(self) -> Iterator[bytes]:
        """The layer's bytes, some at a time."""
        return _of_file(self.base) if self.base else layer_chunks(self.files)


def write(out: IO[bytes], images: Sequence[Image]) -> None:
    """Write one archive with all images to ``out``."""
    known: dict[object, Layer] = {}
    described = [describe(image, [_layer(part, known) for part in _parts(image)]) for image in images]
    manifest = [entry for entry, _ in described]
    _add(out, "manifest.json", _json(manifest))
    written = set()
    for entry, config in described:
        if entry["Config"] not in written:
            written.add(entry["Config"])
            _add(out, entry["Config"], config)
    for layer in known.values():
        if layer.digest not in written:
            written.add(layer.digest)
            out.write(_header(f"{layer.digest}.tar", layer.size, 0o644))
            _copy(out, layer.chunks())
            out.write(_padding(layer.size))
    out.write(bytes(2 * tarfile.BLOCKSIZE))


def describe(image: Image, layers: Sequence[Layer]) -> tuple[dict[str, Any], bytes]:
    """The image's line of the manifest, and its configuration, whose digest is the image's id."""
    config = _json(
        {
            "architecture": "amd64",
            "config": {
                "Cmd": list(image.command) or None,
                "Entrypoint": list(image.entrypoint) or None,
                "Env": [PATH, *image.env],
                "WorkingDir": "/",
            },
            "created": CREATED,
            "history": [{"created": CREATED, "created_by": "raceway"} for _ in layers],
            "os": "linux",
            "rootfs": {"diff_ids": [f"sha256:{layer.digest}" for layer in layers], "type": "layers"},
        }
    )
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    return {"Config": name, "Layers": [f"{one.digest}.tar" for one in layers], "RepoTags": list(image.tags)}, config


def layer_chunks(files: Iterable[tuple[str, Path]]) -> Iterator[bytes]:
    """The bytes of a layer that holds ``files`` and the folders above them."""
    folders: set[str] = set()
    for place, path in sorted(files):
        name = place.strip("/")
        above = name.split("/")[:-1]
        for depth in range(1, len(above) + 1):
            folder = "/".join(above[:depth])
            if folder not in folders:
                folders.add(folder)
                yield _header(folder, 0, 0o755, tarfile.DIRTYPE)
        seen = path.stat()
        yield _header(name, seen.st_size, 0o755 if seen.st_mode & stat.S_IXUSR else 0o644)
        yield from _of_file(path)
        yield _padding(seen.st_size)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _parts(image: Image) -> list[tuple[Path | None, tuple[tuple[str, Path], ...]]]:
    parts: list[tuple[Path | None, tuple[tuple[str, Path], ...]]] = []
    if image.base:
        parts.append((image.base, ()))
    if image.files:
        parts.append((None, tuple(sorted(image.files))))
    return parts


def _layer(part: tuple[Path | None, tuple[tuple[str, Path], ...]], known: dict[object, Layer]) -> Layer:
    if part not in known:
        base, files = part
        digest, size = hashlib.sha256(), 0
        for chunk in _of_file(base) if base else layer_chunks(files):
            digest.update(chunk)
            size += len(chunk)
        known[part] = Layer(digest.hexdigest(), size, base, files)
    return known[part]


def _header(name: str, size: int, mode: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.type = size, mode, kind
    return entry.tobuf(tarfile.GNU_FORMAT)


def _add(out: IO[bytes], name: str, data: bytes) -> None:
    out.write(_header(name, len(data), 0o644))
    _copy(out, [data])
    out.write(_padding(len(data)))


def _copy(out: IO[bytes], chunks: Iterable[bytes]) -> None:
    for chunk in chunks:
        out.write(chunk)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _of_file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(BLOCK):
            yield chunk


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

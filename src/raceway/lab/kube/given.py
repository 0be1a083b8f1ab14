"""What a lab lays beside its Kubernetes nodes: programs by checksum and image archives, in the lab's folder ``kube``.

They are hard links into the cache, so that the cache may go at any time while nodes still read them. It deliberately
keeps only what this lab's nodes are told of: links of an earlier version go when the new ones are there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from raceway.tools import ensure

from .. import files
from ..progress import Steps
from . import images

# What the role installs on a node; everything else comes in images.
PROGRAMS = ("kubeadm", "kubectl", "kubelet")


@dataclass(frozen=True)
class Given:
    """``programs``: name → SHA-256; ``archives``: archive's name → file name below ``images``."""

    programs: dict[str, str] = field(default_factory=dict)
    archives: dict[str, str] = field(default_factory=dict)


def prepare(folder: Path, steps: Steps, lab_id: str) -> Given:
    """Make what is missing (programs, root file systems, archives) and link it below ``folder``."""
    programs = ensure([*PROGRAMS, *images.tools()], show=steps.show)
    archives = images.ensure(programs, steps, lab_id)
    return lay(folder, {name: programs[name] for name in PROGRAMS}, archives)


def lay(folder: Path, programs: Mapping[str, Path], archives: Mapping[str, Path]) -> Given:
    """Link programs and archives below ``folder``, and drop what is no longer wanted there."""
    wanted = {folder / "bin" / name: path.resolve() for name, path in programs.items()}
    wanted |= {folder / "images" / path.name: path for path in archives.values()}
    for place, path in wanted.items():
        _link(place, path)
    for place in (path for below in ("bin", "images") for path in (folder / below).glob("*")):
        if place not in wanted:
            place.unlink()
    return Given(
        {name: _sha256(folder / "bin" / name) for name in programs},
        {name: path.name for name, path in archives.items()},
    )


def _link(place: Path, path: Path) -> None:
    files.folder(place.parent, 0o755)
    if place.exists() and _same(place.stat(), path.stat()):
        return
    half = place.with_name(f".{place.name}.new")
    half.unlink(missing_ok=True)
    try:
        os.link(path, half)
    except OSError:  # the cache lies on another file system
        shutil.copy2(path, half)
    half.rename(place)


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    # A copy has another inode, and the date of what it was copied from.
    return os.path.samestat(one, other) or (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

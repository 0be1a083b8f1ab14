"""Decides which Go build cache a build uses, so that a machine short of disk still gets its tools.

Where the disk has room for a cold cache of all wanted families, the user's own cache is used and kept: the next
build of a changed recipe is then quick. Where it has not, each family gets a private cache under raceway's cache
folder, dropped when the family is built (kept after a failure, so that the next run goes on where this one ended).
It deliberately never deletes from the user's own cache.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from raceway import paths
from raceway.errors import RacewayError

from .pins import Family

GIB = 1 << 30
SPARE_GIB = 1.5  # module sources and the programs themselves


def private_cache(family: Family) -> Path:
    """The family's own build cache."""
    return paths.cache_dir() / "gocache" / family.name


def choose(families: Sequence[Family], user_cache: Path) -> Path | None:
    """Return None to use the user's build cache, or the folder of the private ones; refuse when neither fits."""
    need = sum(family.disk_gib for family in families) + SPARE_GIB
    if _free_gib(user_cache) >= need:
        return None
    private = paths.cache_dir() / "gocache"
    least = max((family.disk_gib for family in families), default=0.0) + SPARE_GIB
    free = _free_gib(private)
    if free < least:
        raise RacewayError(
            str(private),
            f"{free:.1f} GiB free",
            f"{least:.0f} GiB or more",
            "free disk space, or set RACEWAY_CACHE to a folder on a larger disk",
        )
    return private


def _free_gib(folder: Path) -> float:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free / GIB

"""The cache of built tools: a folder appears whole or not at all, and is checked each time it is used.

``tools/<name>-<version>-<key>/`` holds the executable and ``record.json`` (size, mtime, sha256, recipe, compiler).
Work happens in ``tools/.work-<family>-…`` beside it; whoever holds the family's lock may sweep those, because a
lock dies with its process. It deliberately does not delete other versions: an older checkout may still use them.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from raceway import paths

from . import keys
from .pins import Family, Tool

RECORD = "record.json"


@dataclass(frozen=True)
class Record:
    """What was true of the executable when it was published."""

    name: str
    version: str
    recipe: str
    compiler: str
    size: int
    mtime_ns: int
    sha256: str


def root() -> Path:
    """The folder of all built tools."""
    return paths.cache_dir() / "tools"


def folder(tool: Tool, key: str) -> Path:
    """Where one build of a tool lies once it is whole."""
    return root() / f"{tool.name}-{tool.version}-{key}"


def find(tool: Tool, recipe: str, compiler: str | None) -> Path | None:
    """Return the executable of a whole, unchanged build of ``recipe``.

    Without a compiler on the machine (None) any compiler's build of the same recipe is as good.
    """
    if compiler is not None:
        candidates = [folder(tool, keys.key(recipe, compiler))]
    else:
        candidates = sorted(root().glob(f"{tool.name}-{tool.version}-*"))
    for place in candidates:
        record = read(place)
        if record and record.recipe == recipe and intact(place / tool.name, record):
            return place / tool.name
    return None


def read(place: Path) -> Record | None:
    """Read a build's record; None when there is none or it is not one."""
    try:
        return Record(**json.loads((place / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def intact(program: Path, record: Record, *, whole: bool = False) -> bool:
    """Say whether the executable is the recorded one: by size and mtime, by content if those differ or ``whole``."""
    try:
        seen = program.stat()
        if seen.st_size != record.size or not os.access(program, os.X_OK):
            return False
        if seen.st_mtime_ns == record.mtime_ns and not whole:
            return True
        return keys.of_file(program) == record.sha256
    except OSError:
        return False


@contextlib.contextmanager
def lock(family: Family, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the family's build lock; call ``waiting`` first if another process has it."""
    root().mkdir(parents=True, exist_ok=True)
    with (root() / f".lock-{family.name}").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def work(family: Family) -> Iterator[Path]:
    """Give a private folder beside the final ones (same file system, so a rename is atomic). Needs the lock."""
    sweep(family)
    place = Path(tempfile.mkdtemp(prefix=f".work-{family.name}-", dir=root()))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sweep(family: Family) -> list[Path]:
    """Remove what killed builds of the family left behind. Needs the lock."""
    stale = [path for path in root().glob(f".work-{family.name}-*") if path.is_dir()]
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return stale


def tidy(families: Iterable[Family]) -> list[Path]:
    """Sweep families that nobody builds: one killed after its last tool was published left its work folder behind."""
    swept: list[Path] = []
    for family in families:
        if not any(root().glob(f".work-{family.name}-*")):
            continue
        with (root() / f".lock-{family.name}").open("w") as handle, contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            swept += sweep(family)
    return swept


def publish(made: Path, tool: Tool, recipe: str, compiler: str) -> Path:
    """Record the finished folder ``made``, force it to disk and move it to its final name in one step."""
    program = made / tool.name
    seen = program.stat()
    record = Record(tool.name, tool.version, recipe, compiler, seen.st_size, seen.st_mtime_ns, keys.of_file(program))
    (made / RECORD).write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")
    for path in [*made.rglob("*"), made]:
        _fsync(path)
    final = folder(tool, keys.key(recipe, compiler))
    if final.exists():  # a build that was changed after it was published
        spoilt = made.parent / f"spoilt-{tool.name}"
        final.rename(spoilt)
    made.rename(final)
    _fsync(final.parent)
    return final / tool.name


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

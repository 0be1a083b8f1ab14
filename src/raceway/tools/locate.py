"""Decides where a tool is used from: the user's own on PATH at the pinned version, else the cache, else missing.

It deliberately does not build and does not prefer a newer version: the versions are pinned together, and one
that differs has not been seen to work with the others.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raceway import paths
from raceway.errors import RacewayError

from . import ask, golang, keys, store
from .pins import Pins, Tool

Teller = Callable[[Tool, Path], "str | None"]


@dataclass(frozen=True)
class Place:
    """Where a tool was found. ``where`` is PATH, cache or missing; ``passed`` are PATH programs of other versions."""

    tool: Tool
    where: str
    path: Path | None = None
    passed: tuple[str, ...] = ()

    def executable(self) -> Path:
        """Return the path of a tool that must be there by now."""
        if self.path is None:
            raise RacewayError(
                f"tool {self.tool.name}",
                "not on PATH and not built",
                self.tool.version,
                f"run `raceway tools build {self.tool.name}`",
            )
        return self.path


def locate(tool: Tool, pins: Pins) -> Place:
    """Find one tool on this machine."""
    own, passed = on_path(tool, pins)
    if own:
        return Place(tool, "PATH", own, passed)
    built = store.find(tool, keys.recipe(tool), compiler(tool, pins))
    return Place(tool, "cache" if built else "missing", built, passed)


def compiler(tool: Tool, pins: Pins) -> str | None:
    """The compiler whose builds count: Go's version, or None where there is none; Python has no say in the key."""
    if tool.family.builder != "go":
        return tool.family.builder
    go = golang.find(pins.go_minimum)
    return go.label if go else None


def on_path(
    tool: Tool, pins: Pins, search: str | None = None, tell: Teller | None = None
) -> tuple[Path | None, tuple[str, ...]]:
    """Return the first program on PATH at the pinned version, and those passed over with the version they told."""
    tell = tell or _tell
    passed: list[str] = []
    for program in _candidates(tool, os.environ.get("PATH", "") if search is None else search):
        # A program that cannot tell its version vouches by the one it is released with, in the same folder.
        asked = pins.tool(tool.beside) if tool.beside else tool
        told = tell(asked, program.parent / asked.name)
        if told == asked.version and all((program.parent / name).is_file() for name in tool.needs_beside):
            return program, tuple(passed)
        passed.append(f"{program} ({told or 'version unknown'})")
    return None, tuple(passed)


def _candidates(tool: Tool, search: str) -> Iterator[Path]:
    cache = paths.cache_dir()
    for folder in filter(None, search.split(os.pathsep)):
        program = Path(folder).absolute() / tool.name
        # What we built ourselves, or a view of it, is no program of the user's.
        if program.is_file() and os.access(program, os.X_OK) and not program.resolve().is_relative_to(cache.resolve()):
            yield program


def _tell(tool: Tool, program: Path) -> str | None:
    try:
        seen = program.stat()
    except OSError:
        return None
    return _told(tool, program, seen.st_mtime_ns, seen.st_size)


@functools.lru_cache(maxsize=64)
def _told(tool: Tool, program: Path, mtime_ns: int, size: int) -> str | None:
    # One process asks one unchanged file once; `raceway lab up` looks for the same tools several times.
    return ask.version(tool, program)

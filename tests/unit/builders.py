"""What unit tests of the node half build on: a machine in a folder, answers of programs, facts from case files.

It deliberately holds no expectation: those stand in the tests and in tests/cases.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import shutil
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raceway.host import Host, Result
from raceway.model.plan import Step

TESTS = Path(__file__).parent.parent
MACHINES = TESTS / "machines"
CASES = TESTS / "cases"


class FakeHost(Host):
    """A tree below ``root`` whose programs answer from a table: command line, or first word, to what it prints."""

    def __init__(self, root: Path, programs: Mapping[str, str | Result] | None = None) -> None:
        super().__init__(str(root))
        self.programs = dict(programs or {})
        self.calls: list[str] = []

    def which(self, program: str) -> str | None:
        """Return a path for every program that has an answer."""
        known = {line.split()[0] for line in self.programs}
        return f"/usr/sbin/{program}" if program in known else None

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer from the table; a program without an answer is not installed."""
        line = " ".join(argv)
        self.calls.append(line)
        answer = self.programs.get(line, self.programs.get(argv[0]))
        if answer is None:
            return Result(127, "", f"{argv[0]}: not found")
        return answer if isinstance(answer, Result) else Result(0, answer, "")


def make_tree(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder: absolute path → text; a text that starts with ``->`` makes a link."""
    for path, text in files.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            place.symlink_to(text[2:].strip())
        else:
            place.write_text(text, encoding="utf-8")
    return root


def make_machine(shape: str, folder: Path) -> Path:
    """Copy a recorded machine, so that a test may change it, and return the root of its tree."""
    shutil.copytree(MACHINES / shape / "root", folder / shape, symlinks=True)
    return folder / shape


def commands(shape: str) -> dict[str, str]:
    """Return what a recorded machine's programs printed."""
    text = (MACHINES / shape / "commands.json").read_text(encoding="utf-8")
    return {line: "\n".join(out) if isinstance(out, list) else out for line, out in json.loads(text).items()}


def recorded_host(shape: str) -> FakeHost:
    """Return a recorded machine as it lies there, for tests that only look."""
    return FakeHost(MACHINES / shape / "root", commands(shape))


def snapshot(root: Path) -> dict[str, str]:
    """Return every file below a folder: path → text and mode (or where the link points); raceway's lock left out."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = "/" + str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file() and name != "/run/raceway.lock":
            found[name] = f"{path.stat().st_mode & 0o7777:o} {path.read_text(encoding='utf-8')}"
    return found


def make_step(kind: str, /, **args: Any) -> Step:
    """Return a step for a handler under test: only its type and arguments matter there."""
    before = args.pop("before", "")
    return Step(kind, str(args.get("target", kind)), "what", "why", undo="undo", before=before, args=args)


def stage(room: str, noun: str) -> Any:
    """Return the module of one stage of a noun."""
    return importlib.import_module(f"raceway.{room}.{noun}")


def make_facts(noun: str, data: Mapping[str, Any]) -> Any:
    """Return a noun's facts from plain data."""
    name = "".join(part.capitalize() for part in noun.split("_"))
    return build(getattr(stage("facts", noun), f"{name}Facts"), data)


def build(kind: Any, data: Any) -> Any:
    """Return ``data`` as the type ``kind``: dataclasses, tuples, mappings and optional values at any depth."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        unknown = set(data) - set(hints)
        assert not unknown, f"{kind} has no {sorted(unknown)}"  # a misspelt fact would silently be the default
        return kind(**{name: build(hints[name], value) for name, value in data.items()})  # type: ignore[operator]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        inner = arguments if arguments[-1] is not Ellipsis else (arguments[0],) * len(data)
        return tuple(build(one, value) for one, value in zip(inner, data, strict=True))
    if origin is frozenset:
        return frozenset(data)
    if origin is typing.Union and data is not None:
        return build(next(one for one in arguments if one is not type(None)), data)
    if isinstance(data, Mapping) and len(arguments) == 2:
        return {key: build(arguments[1], value) for key, value in data.items()}
    return data

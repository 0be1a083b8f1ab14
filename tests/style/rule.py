"""The shape of a style rule: which files it looks at, what it finds there, and a tree that breaks it.

A rule that looks at nothing is red: it would otherwise pass for as long as its glob is wrong.
It deliberately does not look at the repository by itself: a check is a function of a tree and can be fed a bad one.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import yaml

Findings = Iterable[str]
# Never ours or never committed.
PRUNED = frozenset(
    {
        ".git",
        ".venv",
        ".venv-bench",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".ansible",
        ".cache",
        "__pycache__",
        "collections",
        "out",
        "node_modules",
    }
)


@dataclass(frozen=True)
class Bad:
    """A tree (path → text) that the rule must see, and a part of what it says about it."""

    files: Mapping[str, str]
    sees: str


@dataclass(frozen=True)
class Rule:
    """``check(tree, file)`` runs for each file that matches one of ``files``; ``bad`` are the twins that must be red.

    ``optional`` rules look at something a tree may lack altogether.
    """

    name: str
    files: tuple[str, ...]
    check: Callable[[Path, Path], Findings]
    bad: tuple[Bad, ...]
    but: tuple[str, ...] = ()
    optional: bool = False


def findings(rule: Rule, tree: Path) -> list[str]:
    """Return ``path: what is wrong`` for each finding of a rule in a tree."""
    looked_at = [file for file in files(tree) if matches(rule, file.relative_to(tree).as_posix())]
    if not looked_at and not rule.optional:
        return [f"nothing matches {', '.join(rule.files)}: the rule would pass without looking"]
    return [f"{file.relative_to(tree)}: {text}" for file in looked_at for text in rule.check(tree, file)]


def matches(rule: Rule, name: str) -> bool:
    """Tell whether a rule looks at a file; ``*`` crosses folders."""
    return any(fnmatch(name, glob) for glob in rule.files) and not any(fnmatch(name, glob) for glob in rule.but)


@functools.lru_cache(maxsize=4)
def files(tree: Path) -> tuple[Path, ...]:
    """Return every file of a tree that could be committed."""
    return tuple(sorted(_walk(tree)))


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in PRUNED or path.name.endswith((".egg-info", ".new")):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        elif path.is_file():
            yield path


@functools.lru_cache(maxsize=4096)
def text(file: Path) -> str:
    """Return a file's text; what is not text has nothing to say about style."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@functools.lru_cache(maxsize=4096)
def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(text(file), str(file))


def count(file: Path) -> int:
    """Return the number of lines."""
    return len(text(file).splitlines())


def data(file: Path) -> object:
    """Return the first YAML document of a file, tags such as ``!vault`` read as plain values."""
    return next(iter(yaml.load_all(text(file), _Loader)), None) if file.exists() else None


class _Loader(yaml.SafeLoader):
    """Reads unknown tags as what they carry."""


def _any_tag(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.MappingNode)
    return loader.construct_mapping(node, deep=True)


_Loader.add_multi_constructor("!", _any_tag)

"""Rules for the Python of src/raceway: small files, small functions, public things explained."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from .rule import Bad, Findings, Rule, count, parsed, text

SOURCES = ("src/raceway/*.py",)
PURE = ("src/raceway/facts/*.py", "src/raceway/plan/*.py")
LONGEST_FILE = 300
LONGEST_FUNCTION = 40
Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.lru_cache(maxsize=4096)
def functions(module: ast.AST) -> tuple[Function, ...]:
    """Return every function and method, nested ones too."""
    return tuple(node for node in ast.walk(module) if isinstance(node, Function))


def length(node: ast.stmt) -> int:
    """Return the lines from the ``def`` or ``class`` to the end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def imports(module: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of each import, relative ones with their dots."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield node.lineno, base
            yield from ((node.lineno, f"{base}{'' if base.endswith('.') else '.'}{alias.name}") for alias in node.names)


def _file_length(_tree: Path, file: Path) -> Findings:
    if count(file) > LONGEST_FILE:
        yield f"{count(file)} lines; allowed: {LONGEST_FILE}"


def _function_length(_tree: Path, file: Path) -> Findings:
    for node in functions(parsed(file)):
        if length(node) > LONGEST_FUNCTION:
            yield f"{node.lineno}: {node.name} has {length(node)} lines; allowed: {LONGEST_FUNCTION}"


def _pure(_tree: Path, file: Path) -> Findings:
    for line, name in imports(parsed(file)):
        if name.lstrip(".").split(".")[0] in {"os", "subprocess", "host", "io", "pathlib", "time", "random", "socket"}:
            yield f"{line}: imports {name}; facts and plan see only what they are given"
    for node in ast.walk(parsed(file)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"open", "input", "print"}
        ):
            yield f"{node.lineno}: calls {node.func.id}; facts and plan see only what they are given"


def _explained(_tree: Path, file: Path) -> Findings:
    module = parsed(file)
    if not ast.get_docstring(module) and text(file).strip():
        yield "the module does not say what it promises"
    for node in module.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node):
            yield f"{node.lineno}: {node.name} is public and has no docstring"


def _one_noun_everywhere(tree: Path, file: Path) -> Findings:
    """A planner has its parser, reader and handler under the same name."""
    noun = file.name
    planner = any(node.name == "plan" for node in parsed(file).body if isinstance(node, Function))
    for room in ("model", "probe", "apply"):
        if planner and not (tree / "src" / "raceway" / room / noun).exists():
            yield f"plan/{noun} has no {room}/{noun}"


RULES = (
    Rule(
        "a source file has at most 300 lines",
        SOURCES,
        _file_length,
        (Bad({"src/raceway/x.py": "x = 1\n" * 301}, "301"),),
    ),
    Rule(
        "a function has at most 40 lines",
        SOURCES,
        _function_length,
        (Bad({"src/raceway/x.py": "class A:\n  def long(self):\n" + "    x = 1\n" * 40}, "long has 41"),),
    ),
    Rule(
        "facts and plan touch neither the system nor the clock",
        PURE,
        _pure,
        (
            Bad({"src/raceway/facts/x.py": "import os\n"}, "imports os"),
            Bad({"src/raceway/plan/x.py": "from ..host import Host\n"}, "imports ..host"),
            Bad({"src/raceway/plan/x.py": "from .. import host\n"}, "imports ..host"),
            Bad({"src/raceway/plan/x.py": "def f():\n    import subprocess\n"}, "imports subprocess"),
            Bad({"src/raceway/facts/x.py": "open('x')\n"}, "calls open"),
        ),
    ),
    Rule(
        "every module and every public function and class says what it promises",
        SOURCES,
        _explained,
        (
            Bad({"src/raceway/x.py": "x = 1\n"}, "does not say what it promises"),
            Bad({"src/raceway/x.py": '"""P."""\ndef f(): ...\n'}, "f is public"),
            Bad({"src/raceway/x.py": '"""P."""\nclass C:\n    x = 1\n'}, "C is public"),
        ),
    ),
    Rule(
        "a noun has the same name in every stage",
        ("src/raceway/plan/*.py",),
        _one_noun_everywhere,
        (Bad({"src/raceway/plan/x.py": "def plan(desired, facts): ...\n"}, "has no probe/x.py"),),
    ),
)

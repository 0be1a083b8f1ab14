"""Rules for Pulumi: components only register, programs only read, build and export."""

from __future__ import annotations

import ast
from pathlib import Path

from .python import functions, imports, length
from .rule import Bad, Findings, Rule, count, parsed, text

COMPONENTS = ("src/raceway/components/*.py",)
# Components that do something, each with what makes it right.
DOERS = {"gate.py": "waits for a webhook that runs outside the cluster, never in a preview"}
PROGRAMS = ("pulumi/*/__main__.py",)


def _file_length(_tree: Path, file: Path) -> Findings:
    if count(file) > 250:
        yield f"{count(file)} lines; allowed: 250"


def _constructor(_tree: Path, file: Path) -> Findings:
    for node in ast.walk(parsed(file)):
        if not isinstance(node, ast.ClassDef):
            continue
        for method in functions(node):
            if method.name == "__init__" and length(method) > 40:
                yield f"{method.lineno}: {node.name}.__init__ has {length(method)} lines; allowed: 40"
        source = ast.unparse(node)
        # A remote component is made by the provider, which registers its children and outputs.
        if any("ComponentResource" in ast.unparse(base) for base in node.bases) and "remote=True" not in source:
            for wanted in ("register_outputs(", "parent=self"):
                if wanted not in source:
                    yield f"{node.lineno}: {node.name} never says {wanted}"
            if "register_outputs({})" in source:
                yield f"{node.lineno}: {node.name} registers no outputs"


def _no_io(_tree: Path, file: Path) -> Findings:
    for line, name in imports(parsed(file)) if file.name not in DOERS else ():
        if name.split(".")[0] in {"subprocess", "os", "socket", "requests"} or name.startswith("urllib.request"):
            yield f"{line}: imports {name}; a component registers, it reads and runs nothing"


def _pure_model(_tree: Path, file: Path) -> Findings:
    for line, name in imports(parsed(file)):
        if name.split(".")[0].startswith("pulumi") or name.split(".")[0] in {"subprocess", "os", "socket"}:
            yield f"{line}: imports {name}; the model of the cluster is pure"


def _program(_tree: Path, file: Path) -> Findings:
    if count(file) > 80:
        yield f"{count(file)} lines; allowed: 80"
    if "export(" not in text(file):
        yield "exports nothing"


RULES = (
    Rule(
        "a component file has at most 250 lines",
        COMPONENTS,
        _file_length,
        (Bad({"src/raceway/components/x.py": "x = 1\n" * 251}, "251"),),
    ),
    Rule(
        "a component's constructor has at most 40 lines, parents its children and registers outputs",
        COMPONENTS,
        _constructor,
        (
            Bad({"src/raceway/components/x.py": "class X:\n  def __init__(self):\n" + "    x = 1\n" * 40}, "41 lines"),
            Bad(
                {"src/raceway/components/x.py": "class X(pulumi.ComponentResource):\n  pass\n"},
                "never says register_outputs(",
            ),
            Bad(
                {"src/raceway/components/x.py": "class X(ComponentResource):\n  y = self.register_outputs({})\n"},
                "no outputs",
            ),
        ),
    ),
    Rule(
        "a component does no input or output of its own",
        COMPONENTS,
        _no_io,
        (Bad({"src/raceway/components/x.py": "import subprocess\n"}, "imports subprocess"),),
    ),
    Rule(
        "the model of the cluster knows no Pulumi and no system",
        ("src/raceway/cluster/*.py",),
        _pure_model,
        (Bad({"src/raceway/cluster/x.py": "import pulumi_kubernetes as k\n"}, "imports pulumi_kubernetes"),),
    ),
    Rule(
        "a Pulumi program has at most 80 lines and exports what it made",
        PROGRAMS,
        _program,
        (
            Bad({"pulumi/p/__main__.py": "pulumi.export('a', 1)\n" * 81}, "81 lines"),
            Bad({"pulumi/p/__main__.py": "x = 1\n"}, "exports nothing"),
        ),
    ),
)

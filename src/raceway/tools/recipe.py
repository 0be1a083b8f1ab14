"""Carries out one family's Go recipe in a private work folder: copy, complete, count packages, compile.

It deliberately never works in the recipe's own folder: a checkout may be read-only, and generated files there
would end up in a commit.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import golang, modules
from .pins import Family, Tool
from .progress import Shown


@dataclass(frozen=True)
class Workshop:
    """One family's build: the work folder, the compiler, where its output goes."""

    family: Family
    work: Path
    go: golang.Go
    env: dict[str, str]
    log: IO[str]
    shown: Shown

    @property
    def source(self) -> Path:
        """The private copy of the recipe."""
        return self.work / "source"

    def prepare(self) -> None:
        """Copy the recipe and complete it: files to embed, generated code."""
        shutil.copytree(self.family.folder, self.source, ignore=shutil.ignore_patterns("__pycache__"))
        for path in [self.source, *self.source.rglob("*")]:  # the checkout may be read-only
            path.chmod(path.stat().st_mode | 0o200)
        if self.family.embed_module:
            self.shown.step(self.family, f"fetches {self.family.embed_module}")
            folder = modules.fetch(self.family.embed_module, self.family.folder, self.go)
            for name in self.family.embed_files:
                shutil.copyfile(folder / name, self.source / Path(name).name)
        if self.family.prepare:
            self.shown.step(self.family, f"{self.family.title}: generates code")
            script = self.source / self.family.prepare
            self._run([sys.executable, str(script)], {"PATH": f"{self.go.program.parent}:{self.env.get('PATH', '')}"})

    def packages(self, tool: Tool) -> set[str]:
        """Return all packages the tool is made of; fetches the modules they are in."""
        self.shown.step(self.family, f"{tool.name}: fetches sources")
        lines: list[str] = []
        self._run([str(self.go.program), "list", "-deps", "-f", "package {{.ImportPath}}", tool.package], {}, lines)
        return {line.removeprefix("package ") for line in lines if line.startswith("package ")}

    def compile(self, tool: Tool, out: Path, already: set[str]) -> None:
        """Compile and link one tool; every package Go names is one more done."""
        out.parent.mkdir(parents=True, exist_ok=True)
        compiled: set[str] = set()

        def seen(line: str) -> None:
            if " " not in line and line and not line.startswith(("#", "go:")):
                compiled.add(line)
                self.shown.reach(self.family, len(already | compiled))

        argv = [str(self.go.program), "build", "-v", "-ldflags", " ".join(tool.ldflags), "-o", str(out), tool.package]
        self._run(argv, {}, on_line=seen)

    def _run(
        self,
        argv: list[str],
        env: dict[str, str],
        lines: list[str] | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        def handle(line: str) -> None:
            if line.startswith("go: downloading "):
                self.shown.detail(self.family, line.removeprefix("go: "))
            elif lines is not None:
                lines.append(line)
            if on_line:
                on_line(line)

        golang.stream(argv, self.source, {**self.env, **env}, self.log, handle)

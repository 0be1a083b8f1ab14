"""The house rules of components: short initialisers that only register, pure names and manifests, short programs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from raceway.paths import source_root

COMPONENTS = sorted((source_root() / "src/raceway/components").glob("*.py"))
PROGRAMS = sorted((source_root() / "pulumi").glob("*/__main__.py"))


def resource_classes() -> list[tuple[Path, ast.ClassDef]]:
    found = []
    for path in COMPONENTS:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and any("ComponentResource" in ast.dump(base) for base in node.bases):
                found.append((path, node))
    return found


def test_there_are_components_and_programs_to_judge() -> None:
    assert len(resource_classes()) >= 6 and len(PROGRAMS) == 2


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: path.name)
def test_a_component_file_has_at_most_250_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 250


@pytest.mark.parametrize(("path", "node"), resource_classes(), ids=lambda value: getattr(value, "name", ""))
def test_an_initialiser_has_at_most_40_lines(path: Path, node: ast.ClassDef) -> None:
    (init,) = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    assert init.end_lineno is not None and init.end_lineno - init.lineno < 40


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.parent.name)
def test_a_program_has_at_most_80_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 80

"""The table of kinds."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from raceway.facts import kinds_rdma
from raceway.facts.reading import SILENT

from ..builders import CASES

# Outputs that are whole and yet show no more than a part, by the name of their file.
TROUBLED = ("one_device_fails", "debug_not_set")


@pytest.mark.parametrize("kind", sorted(kinds_rdma.KINDS))
def test_each_kind_has_a_parser_that_tells_silence_from_an_answer(kind: str) -> None:
    parse = importlib.import_module(f"raceway.facts.{kinds_rdma.KINDS[kind]}").parse
    assert parse("").problem == SILENT


@pytest.mark.parametrize("kind", sorted(kinds_rdma.KINDS))
def test_each_recorded_output_gives_facts_and_each_cut_or_failed_one_a_problem(kind: str) -> None:
    module = kinds_rdma.KINDS[kind]
    parse = importlib.import_module(f"raceway.facts.{module}").parse
    paths = sorted((CASES / module).glob("*.*"))
    assert len(paths) > 3
    for path in paths:
        troubled = path.stem.startswith(("truncated", "panic")) or path.stem.endswith("exit_0")
        problem = parse(path.read_text(encoding="utf-8")).problem
        assert bool(problem) == (troubled or path.stem in TROUBLED), f"{path}: {problem}"


@pytest.mark.parametrize("kind", sorted(kinds_rdma.KINDS))
def test_no_parser_stumbles_over_any_cut_of_any_recorded_output(kind: str) -> None:
    module = kinds_rdma.KINDS[kind]
    parse = importlib.import_module(f"raceway.facts.{module}").parse
    for path in sorted((CASES / module).glob("*.*")):
        text = path.read_text(encoding="utf-8")
        for end in range(0, len(text), max(1, len(text) // 40)):
            assert isinstance(parse(text[:end]).problem, str)


def test_the_table_imports_no_parser() -> None:
    tree = ast.parse(Path(kinds_rdma.__file__).read_text(encoding="utf-8"))
    named = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert named == ["__future__", "typing"]
    assert all(kind.replace("-", "_") == module for kind, module in kinds_rdma.KINDS.items())

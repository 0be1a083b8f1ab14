"""The table of kinds: every parser is there, every one has seen ugly input, and none ever raises."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from raceway.facts.kinds import COMMANDS, KINDS, OWN, Kind
from raceway.facts.kinds_rdma import KINDS as RDMA

from ..builders import CASES

FORMS = {
    "normal": ("normal",),
    "truncated": ("truncated",),
    "empty": ("empty",),
    "error text": ("error",),
    "older or localised": ("older", "localised"),
}


def _parse(kind: Kind, text: str) -> Any:
    return getattr(importlib.import_module(f"raceway.facts.{kind.module}"), kind.function)(text)


def _cases(kind: Kind) -> dict[str, str]:
    folder = CASES / kind.name.replace("-", "_")
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_both_tables_are_merged_and_no_command_is_left_over() -> None:
    assert set(KINDS) == {kind.name for kind in OWN} | set(RDMA) and len(KINDS) == len(OWN) + len(RDMA)
    assert set(COMMANDS) <= set(RDMA) and list(KINDS) == sorted(KINDS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.name)
def test_every_kind_has_a_recorded_output_of_every_form(kind: Kind, form: str) -> None:
    assert any(name.startswith(FORMS[form]) for name in _cases(kind)), f"{kind.name} has no {form} case"


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.name)
def test_truncated_empty_and_error_outputs_have_a_problem_and_normal_ones_none(kind: Kind) -> None:
    said = {name: _parse(kind, text).problem for name, text in _cases(kind).items()}
    for name, problem in said.items():
        if name.startswith(("truncated", "empty", "error", "localised_error")):
            assert problem, f"{kind.name}/{name} has no problem"
        elif name.startswith("normal"):
            assert not problem, f"{kind.name}/{name}: {problem}"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_no_cut_anywhere_makes_a_parser_raise(kind: Kind) -> None:
    folder = CASES / kind.name.replace("-", "_")
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*")) if path.is_file()]
    assert texts or kind not in OWN, f"{folder} holds no output"
    for text in (*texts, "\0\x1b[", "[[[", "{}", "[]", "null", '[{"ifname": 3}]', ":\n : \n\t:\n", "= ,;|\n\t \n"):
        for end in {0, 1, *range(0, len(text), max(1, len(text) // 40))}:
            assert hasattr(_parse(kind, text[:end]), "problem")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_prose_is_never_taken_for_an_output(kind: Kind) -> None:
    assert _parse(kind, "The quick brown fox, as ever, jumps over the lazy dog.\n").problem

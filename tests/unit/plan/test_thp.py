"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/thp)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.bootwriter import BootWrite
from raceway.facts.thp import Choice, ThpFacts
from raceway.model.thp import FOLDER, parse
from raceway.plan.dropin import render
from raceway.plan.thp import plan

DESIRED = parse({"enabled": "madvise"})
OFFERED = ("always", "madvise", "never")
RIGHT = ThpFacts(
    choices={"enabled": Choice("madvise", OFFERED)},
    own_file=render("kernel", [f"w {FOLDER}/enabled - - - - madvise"]),
    owned={"enabled": "always"},
)


def test_huge_pages_as_declared_give_an_empty_plan() -> None:
    assert plan(DESIRED, RIGHT).empty


@pytest.mark.parametrize(
    "wrong",
    [
        {"choices": {"enabled": Choice("always", OFFERED)}},
        {"choices": {"enabled": Choice("", OFFERED)}},
        {"choices": {}},
        {"own_file": None},
        {"owned": {"defrag": "madvise"}},
        {"tmpfiles": (BootWrite(f"{FOLDER}/enabled", "never", "/etc/tmpfiles.d/a.conf", 1),)},
        {"tuned": (BootWrite("vm.transparent_hugepages", "never", "/x", 1),)},
    ],
)
def test_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_a_refused_value_stands_in_no_boot_file() -> None:
    assert plan(parse({"enabled": "sometimes"}), dataclasses.replace(RIGHT, own_file=None)).steps == ()

"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/governor)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.bootwriter import BootWrite
from raceway.facts.governor import GovernorFacts, Policy
from raceway.model.governor import POLICIES, parse
from raceway.plan.dropin import render
from raceway.plan.governor import plan

DESIRED = parse({"governor": "performance"})
FAST = Policy("performance", ("performance", "powersave"))
SLOW = Policy("powersave", ("performance", "powersave"))
RIGHT = GovernorFacts(
    policies={"policy0": FAST, "policy1": FAST},
    own_file=render("kernel", [f"w {POLICIES}/scaling_governor - - - - performance"]),
    owned={"policy0": "powersave"},
)


def test_policies_as_declared_give_an_empty_plan() -> None:
    assert plan(DESIRED, RIGHT).empty


@pytest.mark.parametrize(
    "wrong",
    [
        {"policies": {"policy0": FAST, "policy1": SLOW}},
        {"policies": {"policy0": Policy("performance", ())}},
        {"policies": {}},
        {"own_file": None},
        {"tmpfiles": (BootWrite(f"{POLICIES}/scaling_governor", "powersave", "/etc/tmpfiles.d/a.conf", 1),)},
        {"tuned": (BootWrite("cpu.governor", "powersave", "/x", 1),)},
    ],
)
def test_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_only_policies_that_differ_are_touched() -> None:
    facts = dataclasses.replace(RIGHT, policies={"policy0": FAST, "policy1": SLOW})
    assert plan(DESIRED, facts).steps[0].args["values"] == {"policy1": "performance"}

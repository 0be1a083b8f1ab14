"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/module)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.module import ModprobeLine, ModuleFacts, ModuleState, OptionsLine
from raceway.model.module import parse
from raceway.plan.dropin import render
from raceway.plan.module import plan

DESIRED = parse({"modules": [{"name": "tcp_bbr", "options": "a=1"}]})
RIGHT = ModuleFacts(
    states={"tcp_bbr": ModuleState("loaded", {"a": "1"})},
    load_file=render("kernel", ["tcp_bbr"]),
    options_file=render("kernel", ["options tcp_bbr a=1"]),
    owned={"tcp_bbr": "absent"},
)


def test_a_machine_as_declared_gives_an_empty_plan_and_no_reboot() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and not found.reboots and found.noops


@pytest.mark.parametrize(
    "wrong",
    [
        {"states": {}},
        {"states": {"tcp_bbr": ModuleState("available")}},
        {"load_file": None},
        {"options_file": None},
        {"held_back": (ModprobeLine("install", "tcp_bbr", "/etc/modprobe.d/x.conf", 1),)},
        {"states": {**RIGHT.states, "x": ModuleState("loaded")}, "owned": {"x": "absent"}},
    ],
)
def test_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_other_options_of_a_loaded_module_ask_for_a_reboot() -> None:
    facts = dataclasses.replace(RIGHT, states={"tcp_bbr": ModuleState("loaded", {"a": "0"})})
    assert [row.target for row in plan(DESIRED, facts).reboots] == ["tcp_bbr"]


def test_a_refused_module_stands_in_no_file() -> None:
    facts = dataclasses.replace(RIGHT, states={}, load_file=None, options_file=None)
    assert plan(DESIRED, facts).steps == ()


def test_case_b38_a_built_in_module_is_never_loaded() -> None:
    for state in ("builtin", "inside"):
        facts = dataclasses.replace(RIGHT, states={"tcp_bbr": ModuleState(state, {"a": "1"})})
        assert not [step for step in plan(DESIRED, facts).steps if step.type == "module"]


@pytest.mark.parametrize(
    ("file", "options", "refused"),
    [
        ("/usr/lib/modprobe.d/systemd.conf", "a=0", True),
        ("/usr/lib/modprobe.d/systemd.conf", "a=Y b=3", False),
        ("/etc/modprobe.d/aliases.conf", "a=0", False),
    ],
    ids=["later and other", "later and the same", "earlier"],
)
def test_options_that_a_later_file_overrules_are_refused_with_its_line(file: str, options: str, refused: bool) -> None:
    facts = dataclasses.replace(RIGHT, options=(OptionsLine("tcp_bbr", options, file, 4),))
    found = plan(DESIRED, facts)
    assert [row.target for row in found.refusals] == (["tcp_bbr"] if refused else [])
    assert not refused or f"{file}:4 gives a=0" in found.refusals[0].reason

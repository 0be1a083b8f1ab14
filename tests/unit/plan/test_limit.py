"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/limit)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.limit import LimitFacts, LimitLine, ManagerLine
from raceway.model.limit import parse
from raceway.plan.dropin import render
from raceway.plan.limit import plan

DESIRED = parse({"limits": [{"item": "memlock", "value": "unlimited"}]})
SETTING = "DefaultLimitMEMLOCK"
RIGHT = LimitFacts(
    manager={SETTING: "infinity", f"{SETTING}Soft": "infinity"},
    nr_open=1048576,
    limits_file=render("kernel", ["* - memlock unlimited", "root - memlock unlimited"]),
    manager_file=render("kernel", ["[Manager]", f"{SETTING}=infinity"]),
    owned={SETTING: "8388608"},
)


def test_case_x05_limits_in_force_for_logins_and_units_give_an_empty_plan() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and len(found.noops) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"manager": {SETTING: "65536", f"{SETTING}Soft": "65536"}},
        {"manager": {SETTING: "infinity", f"{SETTING}Soft": "65536"}},
        {"manager": {}},
        {"manager_file": None},
        {"limits_file": None},
        {"lines": (LimitLine("*", "-", "memlock", "64", "/etc/security/limits.d/95-x.conf", 1),)},
        {"manager_lines": (ManagerLine(SETTING, "8M", "/etc/systemd/system.conf.d/95-x.conf", 1),)},
        {"unit_lines": (ManagerLine("LimitMEMLOCK", "65536", "/etc/x", 1, "kubelet.service"),)},
        {"owned": {"DefaultLimitNPROC": "1"}},
        {"bounds": {"memlock": "8388608"}},
    ],
)
def test_case_x05_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_an_old_manager_that_shows_one_value_for_both_is_believed() -> None:
    assert plan(DESIRED, dataclasses.replace(RIGHT, manager={SETTING: "18446744073709551615"})).empty


def test_a_machine_without_systemd_gets_the_pam_file_only() -> None:
    facts = LimitFacts(nr_open=1048576)
    assert [step.target for step in plan(DESIRED, facts).steps] == [DESIRED.limits_file]


def test_an_unknown_bound_of_the_kernel_is_taken_as_its_default() -> None:
    desired = parse({"limits": [{"item": "nofile", "value": "1048577"}]})
    assert [row.target for row in plan(desired, LimitFacts()).refusals] == ["nofile"]

"""A service that a noun owns: up with what is declared, and afterwards what it was."""

from __future__ import annotations

import dataclasses

import pytest

from raceway.facts.kube_service import ServiceFacts
from raceway.facts.unit import UnitState
from raceway.model.plan import SAFE, Noop, Step
from raceway.plan.kube_service import NOT_THERE, enable, give_back, up

UNIT = "containerd.service"
RUNNING = UnitState(UNIT, "loaded", "active", "running", "enabled", invocation="r1")
STOPPED = dataclasses.replace(RUNNING, active="inactive", sub="dead", invocation="")


def make_facts(state: UnitState = RUNNING, enabled: str = "", active: str = "") -> ServiceFacts:
    return ServiceFacts(state, {UNIT: enabled} if enabled else {}, {UNIT: active} if active else {})


def test_a_service_that_is_enabled_and_runs_needs_nothing() -> None:
    assert isinstance(enable(UNIT, make_facts(), "why"), Noop)
    assert isinstance(up(UNIT, make_facts(), "", SAFE, "vm"), Noop)


def test_what_is_new_restarts_a_service_that_runs_and_starts_one_that_does_not() -> None:
    restart = up(UNIT, make_facts(), "its file changed", SAFE, "vm")
    assert isinstance(restart, Step) and (restart.what, restart.why) == (f"restart {UNIT}", "its file changed")
    start = up(UNIT, make_facts(STOPPED), "", SAFE, "vm")
    assert isinstance(start, Step) and start.what == f"start {UNIT}"


def test_conditions_that_keep_a_service_from_running_are_a_reason_in_a_container_alone() -> None:
    skipped = make_facts(dataclasses.replace(STOPPED, skipped=True))
    assert isinstance(up(UNIT, skipped, "", SAFE, "container"), Noop)
    assert isinstance(up(UNIT, skipped, "", SAFE, "bare_metal"), Step)


@pytest.mark.parametrize(
    ("enabled", "active", "goes", "expected"),
    [
        ("enabled", "active", False, ["kube_up", "kube_forget"]),
        ("disabled", "inactive", False, ["kube_stop", "kube_disable", "kube_forget"]),
        ("enabled", "inactive", False, ["kube_stop", "kube_forget"]),
        (NOT_THERE, "inactive", False, ["kube_up", "kube_forget"]),
        (NOT_THERE, "inactive", True, ["kube_stop", "kube_disable", "kube_forget"]),
    ],
    ids=["it ran", "it was off", "it was stopped", "its package came with raceway", "its unit is ours"],
)
def test_a_service_is_given_back_as_it_was_found(enabled: str, active: str, goes: bool, expected: list[str]) -> None:
    made = give_back(UNIT, make_facts(RUNNING, enabled, active), True, goes, SAFE)
    assert [step.type for step in made] == expected


def test_a_service_that_was_never_touched_is_left_alone() -> None:
    assert give_back(UNIT, make_facts(), False, False, SAFE) == []

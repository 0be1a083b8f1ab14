"""Planning RoCE ports: what is set, by which program, with which risk, and what is given back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.roce import PortFacts, RoceFacts
from raceway.model.plan import DISRUPTIVE, SAFE, Plan
from raceway.model.roce import Port, RoceDesired
from raceway.plan.roce import plan

from .roce_ports import FRESH, OTHER, PORT, make_set


def make_plan(found: PortFacts | None, *ports: Port, files: dict[str, Any] | None = None, **more: Any) -> Plan:
    desired = RoceDesired(ports or (PORT,), persist=False)
    there = {} if found is None else {PORT.label: found, OTHER.label: dataclasses.replace(found, device="ens2f0np0")}
    return plan(desired, RoceFacts(ports=there, files=files or {}, **more))


def test_a_fresh_port_is_set_part_by_part_and_each_part_says_why() -> None:
    steps = make_plan(FRESH).steps
    assert [step.args["part"] for step in steps] == ["dscp", "pfc", "ets", "pause", "mtu"]
    assert {step.target for step in steps} == {"pci 0000:3b:00.0"}
    assert steps[0].args["values"] == {"dscp": ((26, 3), (48, 6))}
    assert steps[1].after == "pfc [false, false, false, true, false, false, false, false]"
    assert steps[1].args["values"]["pfc"] == (False, False, False, True, False, False, False, False)


def test_the_data_shares_the_link_and_notifications_go_first() -> None:
    (ets,) = [step.args["values"] for step in make_plan(FRESH).steps if step.args["part"] == "ets"]
    assert ets["priority_class"] == (0, 0, 0, 1, 0, 0, 2, 0)
    assert ets["scheduling"][:3] == ("ets", "ets", "strict")
    assert sum(ets["bandwidth"]) == 100 and ets["bandwidth"][1] == 50


def test_a_port_that_is_set_needs_nothing() -> None:
    made = make_plan(make_set())
    told = "ens1f0np0 is set as declared (dcb; DCQCN by sysfs)"
    assert made.empty and [noop.reason for noop in made.noops] == [told]


def test_the_backend_of_a_port_is_told_with_its_reason_in_steps_and_noops() -> None:
    why = "dcb cannot here: PFC: Operation not supported"
    other = {"backend": "mlnx_qos", "chosen": why, "cable_m": 7}
    steps = make_plan(dataclasses.replace(FRESH, **other)).steps
    assert [step.what.endswith(" by mlnx_qos") for step in steps] == [True, True, True, False, False]
    assert {step.args["backend"] for step in steps} == {"mlnx_qos"}
    (noop, *_) = make_plan(dataclasses.replace(make_set(), **other)).noops
    assert noop.reason == f"ens1f0np0 is set as declared (mlnx_qos, since {why}; DCQCN by sysfs)"


def test_a_driver_without_switches_for_dcqcn_is_explained() -> None:
    reasons = [noop.reason for noop in make_plan(dataclasses.replace(make_set(), dcqcn=None)).noops]
    assert "no run-time switches for DCQCN" in reasons[0] and len(reasons) == 2


@pytest.mark.parametrize(("react", "wrong"), [("3", False), ("0", True)])
def test_case_b18_one_file_of_the_notification_point_speaks_for_the_port_and_the_reaction_point_for_itself(
    react: str, wrong: bool
) -> None:
    texts = {"ecn/roce_np/enable/3": "0", "ecn/roce_rp/enable/3": "1" if react == "3" else "0"}
    found = tuple((path, texts.get(path, text)) for path, text in make_set().dcqcn or ())
    steps = make_plan(dataclasses.replace(make_set(), dcqcn=found, notifies=True)).steps
    assert [step.args["part"] for step in steps] == (["dcqcn"] if wrong else [])


def test_a_notification_point_that_was_switched_off_is_drift() -> None:
    off = tuple((path, "0" if path.endswith("np/enable/3") else text) for path, text in make_set().dcqcn or ())
    (step,) = make_plan(dataclasses.replace(make_set(), dcqcn=off)).steps
    assert step.args["part"] == "dcqcn"


def test_other_code_points_of_the_map_are_left_alone() -> None:
    found = dataclasses.replace(make_set(), dscp=((10, 1), (26, 3), (48, 6)))
    assert make_plan(found).empty


def test_a_second_priority_for_a_code_point_is_drift() -> None:
    (step,) = make_plan(dataclasses.replace(make_set(), dscp=((26, 0), (26, 3), (48, 6)))).steps
    assert step.args["part"] == "dscp"


@pytest.mark.parametrize("code", [26, 48])
def test_a_code_point_that_was_deleted_is_drift_even_where_the_driver_would_guess_right(code: int) -> None:
    left = tuple(pair for pair in ((26, 3), (48, 6)) if pair[0] != code)
    (step,) = make_plan(dataclasses.replace(make_set(), dscp=left)).steps
    assert step.args["part"] == "dscp"


def test_all_of_a_port_needs_consent_where_one_part_sets_the_link_up_anew() -> None:
    assert {step.risk for step in make_plan(FRESH).steps} == {DISRUPTIVE}
    assert {step.risk for step in make_plan(dataclasses.replace(FRESH, up=False)).steps} == {SAFE}
    only_pfc = dataclasses.replace(make_set(), pfc=(False,) * 8)
    assert {step.risk for step in make_plan(only_pfc).steps} == {SAFE}


def test_what_could_not_be_read_is_set_and_never_taken_for_right() -> None:
    steps = make_plan(dataclasses.replace(make_set(), pause=None)).steps
    assert [step.args["part"] for step in steps] == ["pause"]


def test_a_port_that_is_no_longer_declared_gets_back_what_was_found() -> None:
    was = {"pfc": [False] * 8, "dscp": []}
    made = plan(RoceDesired(), RoceFacts(ports={PORT.label: make_set()}, owned={PORT.label: was}))
    (step,) = made.steps
    assert (step.type, step.args["before"], step.risk) == ("roce_restore", was, DISRUPTIVE)


def test_a_port_that_is_gone_is_forgotten() -> None:
    (step,) = plan(RoceDesired(), RoceFacts(owned={PORT.label: {}})).steps
    assert step.type == "roce_forget"

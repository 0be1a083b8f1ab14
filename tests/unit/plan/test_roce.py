"""Planning RoCE ports: what is set, what is refused as a whole, what keeps it over boots, what is given back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from raceway.facts.roce import PortFacts, RoceFacts
from raceway.model.plan import DISRUPTIVE, SAFE, Plan, Refusal
from raceway.model.qos import Qos
from raceway.model.roce import Port, RoceDesired, parse, wanted
from raceway.plan.roce import plan
from raceway.plan.roce_boot import LAUNCHER, REQUEST, RULE, UNIT, boot_files

PORT = Port("pci", "0000:3b:00.0")
OTHER = Port("mac", "b8:3f:d2:00:00:02", 1)
FRESH = PortFacts(
    device="ens1f0np0",
    driver="mlx5_core",
    up=True,
    classes=8,
    pfc_classes=8,
    dscp=(),
    pfc=(False,) * 8,
    priority_class=(1, 0, 2, 3, 4, 5, 6, 7),
    scheduling=("vendor",) * 8,
    bandwidth=(0,) * 8,
    pause=(True, True),
    mtu=1500,
    max_mtu=9978,
    buffer=262016,
    speed_mbps=400000,
)


def make_set(found: PortFacts = FRESH, qos: Qos | None = None) -> PortFacts:
    """A port that is set as declared."""
    goal = wanted(qos or Qos())
    fields = ("pfc", "priority_class", "scheduling", "bandwidth", "dcqcn", "pause", "mtu")
    return dataclasses.replace(found, dscp=goal.dscp, **{name: getattr(goal, name) for name in fields})


def make_plan(found: PortFacts | None, *ports: Port, files: dict[str, Any] | None = None, **more: Any) -> Plan:
    desired = RoceDesired(ports or (PORT,), persist=False)
    there = {} if found is None else {PORT.label: found, OTHER.label: dataclasses.replace(found, device="ens2f0np0")}
    return plan(desired, RoceFacts(ports=there, files=files or {}, **more))


def refusal(plan: Plan) -> Refusal:
    (one,) = plan.refusals
    return one


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
    assert made.empty and [noop.reason for noop in made.noops] == ["ens1f0np0 is set as declared"]


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


@pytest.mark.parametrize(
    ("change", "told", "act"),
    [
        ({"virtual_function": True}, "is a virtual function", "physical function"),
        ({"problem": "DCB: Operation not supported"}, "driver mlx5_core): DCB: Operation not supported", "offers DCB"),
        ({"firmware_dcbx": True}, "speaks DCBX itself", "DCBX_WILLING"),
        ({"classes": 2}, "has 2 traffic classes, wanted 3", "more queues"),
        ({"pfc_classes": 0}, "can pause no priority", "PFC"),
        (
            {"buffer": 100000},
            "has 100000 bytes of receive buffer, a lossless priority needs 150928",
            "roce_cable_m (7)",
        ),
        ({"max_mtu": 4000}, "takes an MTU up to 4000, wanted 9000", "roce_mtu"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_port_that_cannot_be_made_right_is_refused_whole_and_the_other_goes_on(
    change: dict[str, Any], told: str, act: str
) -> None:
    ports = {PORT.label: dataclasses.replace(FRESH, **change), OTHER.label: FRESH}
    made = plan(RoceDesired((PORT, OTHER), persist=False), RoceFacts(ports=ports))
    assert told in refusal(made).reason and act in refusal(made).act
    assert {step.target for step in made.steps} == {OTHER.label}


def test_a_port_that_is_not_there_is_refused_with_the_ports_that_are() -> None:
    told = refusal(make_plan(None, present=("ens1f0np0 (pci 0000:5e:00.0)",)))
    assert told.reason == "no such port; there are: ens1f0np0 (pci 0000:5e:00.0)"


def test_lldpad_would_overwrite_every_port_so_every_port_is_refused() -> None:
    made = make_plan(FRESH, PORT, OTHER, lldpad=True)
    assert len(made.refusals) == 2 and not made.steps
    assert "lldpad is running" in made.refusals[0].reason


def test_a_port_that_is_no_longer_declared_gets_back_what_was_found() -> None:
    was = {"pfc": [False] * 8, "dscp": []}
    made = plan(RoceDesired(), RoceFacts(ports={PORT.label: make_set()}, owned={PORT.label: was}))
    (step,) = made.steps
    assert (step.type, step.args["before"], step.risk) == ("roce_restore", was, DISRUPTIVE)


def test_a_port_that_is_gone_is_forgotten() -> None:
    (step,) = plan(RoceDesired(), RoceFacts(owned={PORT.label: {}})).steps
    assert step.type == "roce_forget"


def test_the_boot_unit_runs_the_same_request_when_a_port_appears() -> None:
    desired = RoceDesired((PORT, OTHER), Qos(share=80))
    ports = {PORT.label: make_set(qos=desired.qos), OTHER.label: make_set(qos=desired.qos)}
    written = {step.target: step.args["content"] for step in plan(desired, RoceFacts(ports=ports)).steps}
    assert set(written) == {RULE, UNIT, REQUEST, LAUNCHER}
    assert 'KERNELS=="0000:3b:00.0"' in written[RULE] and 'ATTR{address}=="b8:3f:d2:00:00:02"' in written[RULE]
    assert 'ACTION!="remove"' in written[RULE], "a renamed port is announced as moved, not added"
    request = json.loads(written[REQUEST])
    assert parse(request["roles"]["roce"]["nouns"]["roce"]) == desired
    assert request["mode"] == "apply" and f"{LAUNCHER} {REQUEST}" in written[UNIT]


def test_a_refused_port_is_not_set_at_boot_either() -> None:
    facts = RoceFacts(ports={PORT.label: make_set(), OTHER.label: dataclasses.replace(FRESH, classes=1)})
    written = {s.target: s.args["content"] for s in plan(RoceDesired((PORT, OTHER)), facts).steps}
    assert PORT.value in written[RULE] and OTHER.value not in written[RULE] + written[REQUEST]


def test_boot_files_go_with_the_last_port() -> None:
    files = boot_files((PORT,), {"ports": [{"pci": PORT.value}]})
    made = plan(RoceDesired(), RoceFacts(files=files))
    assert {(step.type, step.target) for step in made.steps} == {("file_restore", path) for path in files}
    assert plan(RoceDesired(), RoceFacts(files=dict.fromkeys(files))).empty


def test_the_launcher_is_python_that_starts_the_newest_bundle() -> None:
    code = compile(boot_files((PORT,), {})[LAUNCHER], LAUNCHER, "exec")
    assert {"listdir", "getmtime", "call"} <= set(code.co_names)

"""Ports that cannot be made right: each refused as a whole, with wanted, found and the next act; the others go on."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.lldp import Neighbour
from raceway.facts.roce import PortFacts, RoceFacts
from raceway.model.plan import Plan, Refusal
from raceway.model.qos import Qos
from raceway.model.roce import RoceDesired
from raceway.plan.roce import plan

from .roce_ports import FRESH, OTHER, PORT


def make_plan(found: PortFacts | None, qos: Qos | None = None, buffer: str = "auto", **more: Any) -> Plan:
    """Plan two ports of which the second is in order."""
    there = {OTHER.label: dataclasses.replace(FRESH, device="ens2f0np0", buffer=1_000_000)}
    if found is not None:
        there[PORT.label] = found
    desired = RoceDesired((PORT, OTHER), qos or Qos(), persist=False, buffer=buffer)
    return plan(desired, RoceFacts(ports=there, **more))


def refused(made: Plan) -> Refusal:
    """The only refusal, which is of the first port; nothing is planned for that port."""
    assert {step.target for step in made.steps} == {OTHER.label}
    (one,) = made.refusals
    assert one.target == PORT.label
    return one


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
    one = refused(make_plan(dataclasses.replace(FRESH, **change)))
    assert told in one.reason and act in one.act


def test_a_port_that_is_not_there_is_refused_with_the_ports_that_are() -> None:
    told = refused(make_plan(None, present=("ens1f0np0 (pci 0000:5e:00.0)",)))
    assert told.reason == "no such port; there are: ens1f0np0 (pci 0000:5e:00.0)"


def test_lldpad_would_overwrite_every_port_so_every_port_is_refused() -> None:
    made = make_plan(FRESH, lldpad=True)
    assert len(made.refusals) == 2 and not made.steps
    assert "lldpad is running" in made.refusals[0].reason and "disable --now lldpad" in made.refusals[0].act


def test_priorities_above_the_number_of_queues_are_refused_by_name() -> None:
    found = dataclasses.replace(FRESH, classes=2)
    one = refused(make_plan(found, Qos(priority=5, cnp_priority=7)))
    told = "data (priority 5), notifications (priority 7), the rest"
    assert one.reason == f"ens1f0np0 has 2 traffic classes, wanted 3: {told}"


def test_pfc_on_more_priorities_than_the_port_can_pause_is_refused() -> None:
    found = dataclasses.replace(FRESH, pfc_classes=1, buffer=None)
    one = refused(make_plan(found, Qos(lossless=(4,))))
    assert one.reason == "ens1f0np0 can pause 1 priority by PFC, wanted 2 (priority 3 and priority 4)"
    assert one.act == "shorten roce_lossless"


def test_pfc_on_two_priorities_with_a_buffer_for_one_is_refused() -> None:
    one = refused(make_plan(FRESH, Qos(lossless=(4,))))
    needs = "PFC on 2 priorities (priority 3 and priority 4) needs 301856 (150928 each)"
    assert one.reason == f"ens1f0np0 has 262016 bytes of receive buffer, {needs}"
    assert one.act.startswith("shorten roce_lossless, lower roce_cable_m (7)")
    assert not make_plan(dataclasses.replace(FRESH, buffer=310000), Qos(lossless=(4,))).refusals


@pytest.mark.parametrize(("buffer", "red"), [("auto", True), ("headroom", False)])
def test_case_b17_pfc_on_with_an_empty_buffer_is_no_lossless_priority(buffer: str, red: bool) -> None:
    sizes = {"priority_buffer": (0, 0, 0, 1, 0, 0, 0, 0), "buffer_sizes": (130944, *[0] * 7)}
    found = dataclasses.replace(FRESH, pfc=Qos().pfc, **sizes)
    made = make_plan(found, buffer=buffer)
    assert [row.reason for row in made.refusals] == [
        "ens1f0np0 pauses priority 3, whose receive buffer 1 has 0 bytes, wanted headroom"
    ][: int(red)]
    assert not make_plan(dataclasses.replace(found, pfc=(False,) * 8)).refusals


def test_a_division_by_hand_that_leaves_no_room_for_packets_is_refused() -> None:
    one = refused(make_plan(dataclasses.replace(FRESH, buffer=160000), buffer="headroom"))
    assert "160000 bytes" in one.reason and "two packets of 9000 bytes" in one.reason and "auto" in one.act


@pytest.mark.parametrize(("unknown", "told"), [("buffer", "receive buffer"), ("speed_mbps", "link speed")])
def test_headroom_of_a_port_whose_size_or_speed_is_unknown_is_refused(unknown: str, told: str) -> None:
    found = dataclasses.replace(FRESH, **{unknown: None})
    (one, *_) = make_plan(found, buffer="headroom").refusals
    assert one.reason == f"the {told} of ens1f0np0 is not known, wanted: headroom for priority 3"


def test_an_mtu_above_the_neighbour_s_is_refused_with_its_name_and_what_would_fit() -> None:
    small = Neighbour("ens1f0np0", "leaf2", "swp7", 1518)
    one = refused(make_plan(dataclasses.replace(FRESH, neighbours=(small,))))
    told = "leaf2 port swp7 behind ens1f0np0 takes frames up to 1518 bytes (LLDP), wanted 9018 for an MTU of 9000"
    assert one.reason == told
    assert one.act == "raise the MTU of that switch port, or lower roce_mtu (9000) to 1500 at most"


@pytest.mark.parametrize("frame", [9018, 9216, 9000, None], ids=["just", "more", "an agent that sends its MTU", "mute"])
def test_a_neighbour_that_takes_the_frame_or_does_not_say_is_no_reason(frame: int | None) -> None:
    found = dataclasses.replace(FRESH, neighbours=(Neighbour("ens1f0np0", "leaf1", "swp1", frame),))
    assert not make_plan(found).refusals


def test_one_of_two_neighbours_that_is_too_small_is_enough() -> None:
    both = (Neighbour("ens1f0np0", "leaf1", "swp1", 9216), Neighbour("ens1f0np0", "phone", "", 9017))
    assert "phone behind ens1f0np0" in refused(make_plan(dataclasses.replace(FRESH, neighbours=both))).reason


def test_an_agent_that_cannot_be_asked_is_told_and_refuses_nothing() -> None:
    made = make_plan(FRESH, unheard="unable to connect to socket")
    (noop,) = [noop for noop in made.noops if noop.target == "lldpd"]
    assert "unable to connect" in noop.reason and not made.refusals

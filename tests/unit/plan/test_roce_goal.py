"""What a port is to hold: its parts, receive buffers by hand or by the driver, and when a part counts as reached."""

from __future__ import annotations

import dataclasses

from raceway.facts.roce import RoceFacts
from raceway.model.qos import Qos
from raceway.model.roce import RoceDesired
from raceway.plan.roce import plan
from raceway.plan.roce_goal import division, goals, reached

from .roce_ports import FRESH, PORT, make_set

AUTO, HEADROOM = RoceDesired((PORT,)), RoceDesired((PORT,), buffer="headroom")


def test_a_port_has_the_parts_it_has_in_the_order_of_work() -> None:
    assert list(goals(PORT, AUTO, FRESH, {})) == ["dscp", "pfc", "ets", "pause", "mtu"]
    rich = dataclasses.replace(FRESH, dcqcn=(), cm_tos=(("mlx5_0", 0),), cable_m=7)
    assert list(goals(PORT, HEADROOM, rich, {})) == [
        *("cable", "buffer", "dscp", "pfc", "ets", "dcqcn", "cm_tos", "pause", "mtu")
    ]


def test_buffers_are_the_driver_s_unless_they_are_declared() -> None:
    assert "buffer" not in goals(PORT, AUTO, FRESH, {})
    made = division(PORT, Qos(), FRESH)
    assert made is not None
    assert goals(PORT, HEADROOM, FRESH, {})["buffer"] == {
        "priority_buffer": made.priority_buffer,
        "buffer_sizes": made.sizes,
    }


def test_a_port_that_is_left_to_the_driver_again_gets_its_own_sizes_back() -> None:
    was = {"priority_buffer": [0] * 8, "buffer_sizes": [262016, *[0] * 7]}
    divided = dataclasses.replace(make_set(), priority_buffer=(0, 0, 0, 1, 0, 0, 0, 0), buffer_sizes=(1,) * 8)
    facts = RoceFacts(ports={PORT.label: divided}, owned_buffers={PORT.label: was})
    (step,) = [step for step in plan(dataclasses.replace(AUTO, persist=False), facts).steps if step.type == "roce"]
    assert step.args["part"] == "buffer" and step.args["values"]["buffer_sizes"][0] == 262016
    assert "only after a reload" in step.undo


def test_the_cable_is_told_where_the_driver_asks_for_it_and_never_shorter_than_its_own() -> None:
    told = dataclasses.replace(FRESH, cable_m=7)
    assert "cable" not in goals(PORT, AUTO, FRESH, {})
    assert goals(PORT, AUTO, told, {})["cable"] == {"cable_m": 7}
    long, short = (RoceDesired((PORT,), Qos(cable_m=metres)) for metres in (40, 3))
    assert goals(PORT, long, told, {})["cable"] == {"cable_m": 40}
    assert goals(PORT, short, told, {})["cable"] == {"cable_m": 7}


def test_a_part_is_reached_when_every_field_is_and_lists_of_the_ledger_count_as_tuples() -> None:
    found = make_set()
    assert reached({"pfc": list(found.pfc or ())}, found) and not reached({"pfc": [True] * 8}, found)
    assert reached({"dscp": ((26, 3),)}, found) and not reached({"dscp": ((26, 4),)}, found)
    assert reached({"dscp": ()}, FRESH) and not reached({"dscp": ()}, found)


def test_sizes_that_the_driver_rounded_are_reached_and_unknown_ones_never() -> None:
    rounded = dataclasses.replace(FRESH, buffer_sizes=(169984, 0))
    assert reached({"buffer_sizes": (170000, 0)}, rounded) and not reached({"buffer_sizes": (180000, 0)}, rounded)
    assert not reached({"buffer_sizes": (170000, 0)}, FRESH)

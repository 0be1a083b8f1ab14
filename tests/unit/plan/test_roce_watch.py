"""The verdict on watched counters: each thing that must not grow is red with its reason, all else is told."""

from __future__ import annotations

import re

import pytest

from raceway.facts.roce_counters import Growth
from raceway.model.qos import Qos
from raceway.model.roce_watch import RoceWatchDesired
from raceway.plan.roce_watch import plan, verdict

BUSY = {"sent": 9000, "received": 9000, "rx_bytes 3": 9000, "tx_bytes 3": 9000}


def make_growth(**grown: int) -> Growth:
    """What a busy port counted in a second; ``rx_pause_3`` is the counter ``rx_pause 3``."""
    named = {re.sub(r"_(\d)$", r" \1", name): count for name, count in grown.items()}
    return Growth("ens1f0np0", 1.0, {**BUSY, **named})


@pytest.mark.parametrize(
    ("grown", "seen", "why"),
    [
        ({"rx_discards_3": 7}, "priority 3 discarded 7 packets", "must drop nothing"),
        ({"discards": 7}, "the port discarded 7 packets", "no room left"),
        ({"out_of_sequence": 4}, "4 packets came out of sequence", "lost or overtaken"),
        ({"sequence_errors": 4}, "4 packets were reported missing", "once more"),
        ({"rx_pause_4": 2}, "the neighbour paused priority 4 2 times", "not declared lossless"),
        ({"tx_pause_0": 2}, "this port paused priority 0 2 times", "not declared lossless"),
        ({"global_pause_rx": 1}, "1 pauses of the whole link received", "every priority at once"),
        ({"ecn_marked": 90, "cnp_sent": 0}, "90 packets arrived marked and no CNP was sent", "notification point"),
        ({"cnp_ignored": 3}, "3 CNPs were ignored", "reaction point"),
        ({"rx_bytes_3": 0, "tx_bytes_3": 0}, "priority 3 carried no byte", "another priority"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else None,
)
def test_what_must_never_grow_is_red_alone_with_its_reason_and_the_next_act(
    grown: dict[str, int], seen: str, why: str
) -> None:
    (red,) = verdict(make_growth(**grown), Qos())
    assert seen in red.seen and why in red.why and red.act


def test_a_busy_port_whose_congestion_control_works_is_green_and_says_what_it_did() -> None:
    busy = make_growth(ecn_marked=90, cnp_sent=30, cnp_handled=12, rx_pause_3=2, discards=0, out_of_sequence=0)
    made = plan(RoceWatchDesired(), {"pci 0000:3b:00.0": busy})
    (noop,) = made.noops
    assert made.empty
    assert "30 CNPs sent; 12 CNPs handled; 2 pause frames received on priority 3" in noop.reason


def test_a_port_without_rdma_traffic_is_not_taken_for_proof() -> None:
    idle = Growth("ens1f0np0", 1.0, {"sent": 0, "received": 0, "rx_bytes 3": 0, "tx_bytes 3": 0})
    (noop,) = plan(RoceWatchDesired(), {"pci 0000:3b:00.0": idle}).noops
    assert "no RDMA traffic ran, so congestion control is not shown" in noop.reason


def test_losses_are_red_on_an_idle_port_too() -> None:
    (red,) = verdict(Growth("ens1f0np0", 1.0, {"discards": 1}), Qos())
    assert "discarded 1" in red.seen


def test_where_the_driver_counts_by_priority_what_other_priorities_drop_is_theirs() -> None:
    assert verdict(make_growth(rx_discards_3=0, discards=50), Qos()) == []


def test_a_second_lossless_priority_may_be_paused_and_must_lose_nothing_either() -> None:
    qos = Qos(lossless=(4,))
    assert verdict(make_growth(rx_pause_4=2), qos) == []
    (red,) = verdict(make_growth(rx_discards_3=0, rx_discards_4=2), qos)
    assert "priority 4 discarded 2" in red.seen


def test_without_dcqcn_nobody_answers_marks() -> None:
    assert verdict(make_growth(ecn_marked=90, cnp_sent=0, cnp_ignored=4), Qos(ecn=False)) == []


def test_a_port_that_counts_nothing_is_red_and_the_refusal_names_port_and_time() -> None:
    made = plan(RoceWatchDesired(), {"pci 0000:3b:00.0": Growth("ens1f0np0", 2.0, problem="no stats available")})
    (refusal,) = made.refusals
    assert refusal.target == "pci 0000:3b:00.0"
    assert refusal.reason.startswith("ens1f0np0, in 2.0 s: no counter could be read (no stats available)")


def test_each_red_of_a_port_is_a_refusal_of_its_own_and_nothing_is_planned() -> None:
    made = plan(RoceWatchDesired(), {"pci a": make_growth(rx_pause_4=2, discards=1), "pci b": make_growth()})
    assert [row.target for row in made.refusals] == ["pci a", "pci a"] and made.steps == ()
    assert [row.target for row in made.noops] == ["pci b"]

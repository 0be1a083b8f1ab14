"""EOS: profiles and what an interface says against them, and numbers in units that are not bytes."""

from __future__ import annotations

import pytest

from raceway.switch.parse.eos import parse

from ..builders import recorded

AI = parse(recorded("eos.cfg"), "ai")


def test_an_interface_has_what_its_profile_says() -> None:
    port = AI["Ethernet1/1"]
    assert list(AI) == ["Ethernet1/1", "Ethernet2/1", "Ethernet3/1"]
    assert (port.trust, port.pfc, port.mtu, port.watchdog_ms) == ("dscp", frozenset({3}), "9214", "300")
    assert (port.queues[3].share, port.queues[3].strict, port.queues[7].strict) == ("60", "off", "on")


def test_a_rewrite_map_is_no_classification() -> None:
    port = AI["Ethernet1/1"]
    assert port.dscp is not None and {port.dscp[dscp] for dscp in range(24, 32)} == {3}
    assert (port.dscp[48], 26 in (port.queue_of or {}), port.queue_of) == (7, False, {3: 3})


def test_thresholds_in_segments_keep_their_unit() -> None:
    assert AI["Ethernet1/1"].queues[3].wred == {
        "green.min": "2000 segments",
        "green.max": "10000 segments",
        "green.probability": "20",
    }


def test_the_headroom_is_that_of_the_applied_profile() -> None:
    assert AI["Ethernet1/1"].headroom[3] == "cells 250"


def test_an_interface_outranks_its_profile() -> None:
    port = AI["Ethernet2/1"]
    assert (port.trust, port.queues[3].share, port.queues[3].ecn) == ("none", "20", "on")


def test_an_interface_that_says_nothing_is_unknown_and_pauses_nothing() -> None:
    port = AI["Ethernet3/1"]
    assert (port.trust, port.mtu, port.pfc, port.queues[3].strict) == (None, None, frozenset(), None)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("priority-flow-control priority 3 no-drop", set()),
        ("priority-flow-control on\n priority-flow-control priority 3 drop", set()),
        ("priority-flow-control on\n priority-flow-control priority 3 no-drop\n no priority-flow-control on", set()),
        (
            "priority-flow-control on\n priority-flow-control priority 3 no-drop\n no priority-flow-control priority 3",
            set(),
        ),
        ("priority-flow-control on\n priority-flow-control priority 3 no-drop", {3}),
    ],
)
def test_pfc_needs_both_the_switch_and_the_priority(lines: str, wanted: set[int]) -> None:
    assert parse(f"interface Ethernet1\n {lines}\n", "f")["Ethernet1"].pfc == wanted

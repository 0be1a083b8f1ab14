"""NX-OS: policies of the system and of a port, DSCP names, and PFC that depends on the neighbour."""

from __future__ import annotations

from raceway.switch.parse.nxos import parse

from ..builders import golden, recorded

AI = parse(recorded("nxos.cfg"), "ai")


def test_a_policy_of_the_system_counts_for_ports_without_their_own() -> None:
    port = AI["Ethernet1/1"]
    assert list(AI) == ["Ethernet1/1", "Ethernet1/2", "Ethernet1/3"]
    assert port.trust == "dscp"
    assert port.dscp is not None
    assert {dscp: group for dscp, group in port.dscp.items() if group != 1} == {26: 3, 24: 3, 48: 7}
    assert port.headroom == {3: "size 101920, xon 34320, xoff 55120"}


def test_a_port_that_classifies_by_cos_trusts_pcp_and_sends_every_dscp_to_the_default() -> None:
    port = AI["Ethernet1/2"]
    assert port.trust == "pcp"
    assert port.dscp is not None and set(port.dscp.values()) == {0}


def test_pfc_is_on_off_or_what_the_neighbour_makes_of_it() -> None:
    assert [port.pfc for port in AI.values()] == [frozenset({3}), None, frozenset()]


def test_queues_have_marking_share_and_strictness() -> None:
    queues = AI["Ethernet1/1"].queues
    assert (queues[3].ecn, queues[3].share, queues[3].strict) == ("on", "50", "off")
    assert queues[3].wred == {"green.min": "300 kbytes", "green.max": "300 kbytes", "green.probability": "100"}
    assert (queues[7].strict, queues[0].share, queues[0].ecn) == ("on", "48", "off")


def test_the_watchdog_needs_the_switch_and_the_port_and_its_time_is_unknown_here() -> None:
    assert [bool(port.watchdog) for port in AI.values()] == [True, False, False]
    assert AI["Ethernet1/1"].watchdog_ms is None


def test_a_policy_that_is_named_and_not_there_is_no_policy() -> None:
    port = parse(golden("nxos").replace("policy-map type queuing RACEWAY-OUT", "policy-map type queuing X"), "f")
    assert port["Ethernet1/1"].queues == {}

"""What a rail lacks, and the calls of ip that mend it, in the words of ip-route(8), ip-rule(8) and ip-link(8)."""

from __future__ import annotations

import dataclasses

from raceway.facts.ip_addr import Link
from raceway.facts.rails import RailsFacts
from raceway.model.rails import Bond, Port, Rail, RailsDesired
from raceway.model.route import Route, Rule
from raceway.plan.rails_goal import Goal, goal, lacks, stale, told

ONE, TWO = Port("pci", "0000:3b:00.0"), Port("pci", "0000:3b:00.1")
RAIL = Rail(2, (ONE,), ("10.1.0.11/24",), ("10.1.0.1",), ("10.1.0.0/16",))
DESIRED = RailsDesired(sysctls={"rp_filter": 2})
FACTS = RailsFacts(ports={ONE.label: "a", TWO.label: "b"}, links={"a": Link("a", up=True), "b": Link("b", up=True)})


def calls(rail: Rail, facts: RailsFacts = FACTS) -> list[str]:
    return [" ".join(call) for row in lacks(rail, DESIRED, facts) for call in row.calls]


def test_everything_that_is_missing_is_added_in_an_order_that_works() -> None:
    assert calls(RAIL) == [
        "ip addr replace 10.1.0.11/24 dev a",
        "ip -4 route replace 10.1.0.0/24 dev a proto static scope link src 10.1.0.11 metric 1002 table 1002",
        "ip -4 route replace 10.1.0.0/16 via 10.1.0.1 dev a proto static src 10.1.0.11 metric 1002 table 254",
        "ip -4 route replace 10.1.0.0/16 via 10.1.0.1 dev a proto static src 10.1.0.11 metric 1002 table 1002",
        "ip -4 rule add from 10.1.0.11/32 lookup 1002 priority 1002 protocol static",
    ]
    paths = [(row.path, row.value) for row in lacks(RAIL, DESIRED, FACTS) if row.path]
    wanted = [("net/ipv4/conf/a/ignore_routes_with_linkdown", "1"), ("net/ipv4/conf/a/rp_filter", "2")]
    assert paths == wanted


def test_a_bond_is_made_before_its_members_join_while_they_are_down() -> None:
    rail = Rail(0, (ONE, TWO), bond=Bond("pair0", "802.3ad"))
    assert calls(rail)[:5] == [
        "ip link add pair0 type bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4 lacp_rate fast",
        "ip link set dev a down",
        "ip link set dev a master pair0",
        "ip link set dev b down",
        "ip link set dev b master pair0",
    ]


def test_a_hash_policy_is_changed_in_place_and_another_mode_makes_the_bond_anew() -> None:
    rail = Rail(0, (ONE,), bond=Bond("pair0", "balance-xor"))
    shown = {"mode": "balance-xor", "miimon": "100", "xmit_hash_policy": "layer2"}
    links = {"a": Link("a", up=True, master="pair0"), "pair0": Link("pair0", up=True, kind="bond", bond=shown)}
    facts = dataclasses.replace(FACTS, links=links)
    assert calls(rail, facts) == ["ip link set pair0 type bond xmit_hash_policy layer3+4"]
    links["pair0"] = dataclasses.replace(links["pair0"], bond={**shown, "mode": "active-backup"})
    remade = calls(rail, dataclasses.replace(FACTS, links=links))
    assert remade[0] == "ip link del pair0" and "ip link set dev a master pair0" in remade


def test_the_higher_of_all_and_port_is_what_counts() -> None:
    both = {"all": {"rp_filter": 2}, "a": {"rp_filter": 0}}
    assert dataclasses.replace(FACTS, sysctls=both).effective("a", "rp_filter") == 2
    assert not [
        row for row in lacks(RAIL, DESIRED, dataclasses.replace(FACTS, sysctls=both)) if "rp_filter" in row.path
    ]
    assert FACTS.effective("a", "rp_filter") is None, "what cannot be read is no value"


def test_what_an_earlier_declaration_put_there_goes_and_what_others_put_there_stays() -> None:
    old = Goal(("10.1.0.9/24",), (Rule(1002, "10.1.0.9/32", 1002),), (Route("10.9.0.0/16", 254, "10.1.0.1", 1002),))
    facts = dataclasses.replace(
        FACTS,
        links={"a": Link("a", up=True, addresses=("10.1.0.9/24", "192.0.2.1/24"))},
        rules=(Rule(1002, "10.1.0.9/32", 1002), Rule(5, "192.0.2.1/32", 77)),
        routes=(("a", Route("10.9.0.0/16", 254, "10.1.0.1", 1002)), ("a", Route("192.0.2.0/24"))),
    )
    gone = [" ".join(call) for row in stale("a", old, goal(RAIL, DESIRED), facts) for call in row.calls]
    assert gone == [
        "ip -4 rule del from 10.1.0.9/32 lookup 1002 priority 1002",
        "ip -4 route del 10.9.0.0/16 via 10.1.0.1 dev a proto static metric 1002 table 254",
        "ip addr del 10.1.0.9/24 dev a",
    ]


def test_a_long_list_is_told_by_its_beginning() -> None:
    assert told(lacks(RAIL, DESIRED, FACTS)).endswith(" and 3 more")

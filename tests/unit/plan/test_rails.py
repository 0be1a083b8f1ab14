"""Planning rails: what is refused as a whole and why, what needs consent, what is explained, what is given back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.bonding import BondingFacts, Member
from raceway.facts.ip_addr import Link
from raceway.facts.rails import Hardware, RailsFacts
from raceway.facts.rails_owner import Owner
from raceway.model.plan import DISRUPTIVE, SAFE, Plan, Refusal
from raceway.model.rails import Bond, Port, Rail, RailsDesired
from raceway.model.route import Route, Rule
from raceway.plan.rails import plan

ONE, TWO = Port("pci", "0000:3b:00.0"), Port("pci", "0000:3b:00.1")
RAIL = Rail(0, (ONE,), ("10.1.0.11/24",))
PAIR = Rail(0, (ONE, TWO), ("10.1.0.11/24",), bond=Bond("pair0", "active-backup"))
SYSCTLS = {"arp_ignore": 1, "rp_filter": 2}
FRESH = RailsFacts(
    ports={ONE.label: "ens1f0np0", TWO.label: "ens1f1np1"},
    present=("ens1f0np0 (pci 0000:3b:00.0)",),
    links={"ens1f0np0": Link("ens1f0np0", 3), "ens1f1np1": Link("ens1f1np1", 4), "eno1": Link("eno1", 2, True)},
    hardware={"ens1f0np0": Hardware("0000:3b:00.0"), "ens1f1np1": Hardware("0000:3b:00.1")},
    sysctls={name: {"arp_ignore": 0, "rp_filter": 0} for name in ("all", "ens1f0np0", "ens1f1np1")},
    networkd=True,
)


def make_plan(rail: Rail = RAIL, facts: RailsFacts = FRESH, **changed: Any) -> Plan:
    return plan(RailsDesired((rail,), sysctls=SYSCTLS), dataclasses.replace(facts, **changed))


def refusal(plan: Plan) -> Refusal:
    (one,) = plan.refusals
    assert not plan.steps, "nothing of a refused rail is changed"
    return one


def with_link(name: str, **changed: Any) -> dict[str, Link]:
    return {**FRESH.links, name: dataclasses.replace(FRESH.links.get(name, Link(name)), **changed)}


def with_hardware(**changed: Any) -> dict[str, Hardware]:
    return {**FRESH.hardware, "ens1f1np1": dataclasses.replace(FRESH.hardware["ens1f1np1"], **changed)}


def test_a_fresh_port_gets_its_files_and_then_what_they_say() -> None:
    made = make_plan()
    assert [step.target for step in made.steps] == [
        "/etc/sysctl.d/91-raceway-rail0.conf",
        "/etc/systemd/network/05-raceway-rail0.network",
        "pci 0000:3b:00.0",
    ]
    assert {step.risk for step in made.steps} == {SAFE} and made.steps[2].args["reload"]
    text = made.steps[1].args["content"]
    assert "Path=*pci-0000:3b:00.0\n" in text and "Address=10.1.0.11/24\n" in text and "ens1f0np0" not in text
    assert "net/ipv4/conf/ens1f0np0/rp_filter = 2\n" in made.steps[0].args["content"]


@pytest.mark.parametrize(
    ("rail", "changed", "told", "act"),
    [
        (RAIL, {"ports": {}}, "no such port; there are: ens1f0np0 (pci 0000:3b:00.0)", "rails_ports"),
        (PAIR, {"ports": {ONE.label: "ens1f0np0"}}, "no such port for member pci 0000:3b:00.1", "rails_bonds"),
        (RAIL, {"carried": {"ens1f0np0": ("the default route",)}}, "carries the default route", "another port"),
        (
            PAIR,
            {"carried": {"ens1f1np1": ("the ssh connection from 10.0.0.9",)}},
            "ens1f1np1 carries the ssh",
            "another",
        ),
        (RAIL, {"owners": {"ens1f0np0": Owner("NetworkManager")}}, "is set up by NetworkManager", "managed no"),
        (RAIL, {"owners": {"ens1f0np0": Owner("ifupdown", "/etc/network/interfaces")}}, "by ifupdown", "ifdown"),
        (
            RAIL,
            {"owners": {"ens1f0np0": Owner("systemd-networkd", "/run/systemd/network/10-netplan-x.network")}},
            "is set up by netplan (/run/systemd/network/10-netplan-x.network)",
            "/etc/netplan",
        ),
        (
            RAIL,
            {"owners": {"ens1f0np0": Owner("systemd-networkd", "/etc/systemd/network/20-a.network")}},
            "is set up by systemd-networkd (/etc/systemd/network/20-a.network)",
            "take ens1f0np0 out of /etc/systemd/network/20-a.network",
        ),
        (RAIL, {"networkd": False}, "systemd-networkd does not run", "systemctl enable --now systemd-networkd"),
        (RAIL, {"links": with_link("ens1f0np0", master="br0")}, "is part of another interface br0", "nomaster"),
        (PAIR, {"links": with_link("pair0", kind="bridge")}, "pair0 is there already (bridge)", "another name"),
        (PAIR, {"hardware": with_hardware(pci="0000:5e:00.1")}, "needs ports of one card", "roce_lag: false"),
        (PAIR, {"hardware": with_hardware(functions=8)}, "needs SR-IOV off, ens1f1np1 has 8", "sriov_numvfs"),
        (PAIR, {"hardware": with_hardware(pci="")}, "ens1f1np1 has no PCI function", "hardware"),
        (RAIL, {"links": with_link("eno1", addresses=("10.1.0.11/16",))}, "10.1.0.11 is on eno1 already", "eno1"),
        (
            RAIL,
            {"routes": (("eno1", Route("10.0.0.0/8", 1000)),)},
            "table 1000 is in use: it has a route by eno1",
            "base",
        ),
        (RAIL, {"rules": (Rule(50, "10.7.0.1/32", 1000),)}, "table 1000 is in use: the rule from 10.7.0.1/32", "base"),
        (RAIL, {"others": ((77, 1000),)}, "table 1000 is in use: the rule of priority 77", "base"),
        (
            RAIL,
            {"sysctls": {**FRESH.sysctls, "all": {"arp_ignore": 2, "rp_filter": 0}}},
            "arp_ignore 1 is wanted on the port, net.ipv4.conf.all.arp_ignore is 2",
            "kernel_sysctl",
        ),
        (RAIL, {"problem": "ip -j: not found"}, "what the node has cannot be told: ip -j: not found", "iproute2"),
    ],
)
def test_a_rail_that_cannot_be_made_right_is_refused_whole(
    rail: Rail, changed: dict[str, Any], told: str, act: str
) -> None:
    one = refusal(make_plan(rail, **changed))
    assert one.target == rail.label and told in one.reason and act in one.act


def test_another_rail_goes_on_where_one_is_refused() -> None:
    second = Rail(1, (TWO,), ("10.2.0.11/24",))
    facts = dataclasses.replace(FRESH, carried={"ens1f0np0": ("the default route",)})
    made = plan(RailsDesired((RAIL, second), sysctls=SYSCTLS), facts)
    assert [one.target for one in made.refusals] == [RAIL.label]
    assert {step.target for step in made.steps if step.type == "rails"} == {TWO.label}
    assert not any("rail0" in step.target for step in made.steps)


def test_ssh_over_a_rail_that_is_as_declared_is_no_refusal_and_a_default_route_is() -> None:
    ssh = {"ens1f0np0": ("the ssh connection from 10.1.0.12",)}
    assert make_plan(RAIL, made_so(RAIL), carried=ssh).empty
    assert (
        "ssh connection" in refusal(make_plan(RAIL, dataclasses.replace(made_so(RAIL), rules=()), carried=ssh)).reason
    )
    both = {"ens1f0np0": ("the default route", "the ssh connection from 10.1.0.12")}
    assert refusal(make_plan(RAIL, made_so(RAIL), carried=both)).reason == "ens1f0np0 carries the default route"


def test_a_catch_all_file_of_networkd_is_no_other_owner() -> None:
    catch_all = Owner("systemd-networkd", "/usr/lib/systemd/network/80-all.network", "configured", True)
    assert not make_plan(owners={"ens1f0np0": catch_all}).refusals


def test_files_of_a_refused_rail_stay_as_they_are() -> None:
    files = {"/etc/systemd/network/05-raceway-rail0.network": "[Network]\nAddress=10.1.0.9/24\n"}
    owned = {ONE.label: {"up": False, "sysctls": {}}}
    made = make_plan(files=files, owned=owned, carried={"ens1f0np0": ("the default route",)})
    assert refusal(made).target == RAIL.label


def test_three_members_and_unknown_modes_are_no_roce_lag_and_other_bonds_may_have_them() -> None:
    third = Port("pci", "0000:3b:00.2")
    more: dict[str, Any] = {
        "ports": {**FRESH.ports, third.label: "ens1f2"},
        "hardware": {**FRESH.hardware, "ens1f2": Hardware("0000:3b:00.2")},
        "links": with_link("ens1f2"),
    }
    three = dataclasses.replace(PAIR, members=(ONE, TWO, third))
    assert "declared are 3" in refusal(make_plan(three, **more)).reason
    plain = dataclasses.replace(three, bond=Bond("pair0", "active-backup", roce_lag=False))
    assert make_plan(plain, **more).refusals == ()
    odd = dataclasses.replace(PAIR, bond=Bond("pair0", "balance-rr"))
    assert "active-backup (1), balance-xor (2), 802.3ad (4), declared is balance-rr" in refusal(make_plan(odd)).reason


def test_a_member_selected_twice_in_two_ways_is_refused() -> None:
    same = dataclasses.replace(PAIR, members=(ONE, Port("mac", "b8:3f:d2:00:00:01")))
    ports = {ONE.label: "ens1f0np0", "mac b8:3f:d2:00:00:01": "ens1f0np0"}
    assert "ens1f0np0 is two of its members" in refusal(make_plan(same, ports=ports)).reason


def test_a_member_that_is_up_joins_with_consent_alone() -> None:
    assert {step.risk for step in make_plan(PAIR).steps} == {SAFE}
    assert {step.risk for step in make_plan(PAIR, links=with_link("ens1f1np1", up=True)).steps} == {DISRUPTIVE}


def made_so(rail: Rail) -> RailsFacts:
    """The node once a rail was set up, by the plan's own files."""
    written = {step.target: step.args["content"] for step in make_plan(rail).steps if step.type == "file"}
    name = rail.bond.name if rail.bond else "ens1f0np0"
    bond = rail.bond.settings() if rail.bond else {}
    links = with_link(name, up=True, addresses=(*rail.addresses, "192.0.2.1/24"), bond=bond)
    if rail.bond:
        members = {one: dataclasses.replace(links[one], master=name, up=True) for one in ("ens1f0np0", "ens1f1np1")}
        links.update(members)
    return dataclasses.replace(
        FRESH,
        files=written,
        links=links,
        owned={one.label: {"up": False, "sysctls": {}} for one in rail.members},
        owned_bonds=(name,) if rail.bond else (),
        own_sources=("10.1.0.11/32",),
        rules=(Rule(1000, "10.1.0.11/32", 1000),),
        routes=((name, Route("10.1.0.0/24", 1000, "", 1000, "10.1.0.11")),),
        sysctls={**FRESH.sysctls, name: SYSCTLS},
    )


def test_a_rail_that_is_set_up_needs_nothing_and_strange_addresses_are_told_and_left() -> None:
    made = make_plan(RAIL, made_so(RAIL))
    assert made.empty
    told = [noop.reason for noop in made.noops if noop.target == RAIL.label]
    assert told[0] == "ens1f0np0 has 10.1.0.11/24, looked up in table 1000, as declared"
    assert "192.0.2.1/24 as well" in told[1]


@pytest.mark.parametrize(
    ("second", "told"),
    [(True, "all members have links, ens1f0np0 sends"), (False, "warning: ens1f1np1 has no link, ens1f0np0 sends")],
)
def test_a_member_without_a_link_is_a_warning_of_a_bond_that_is_as_declared(second: bool, told: str) -> None:
    state = BondingFacts(active="ens1f0np0", members=(Member("ens1f0np0", True), Member("ens1f1np1", second)))
    made = make_plan(PAIR, made_so(PAIR), bonds={"pair0": state})
    assert made.empty and told in [noop.reason for noop in made.noops]


def test_a_rail_that_is_given_up_takes_its_files_and_needs_consent_where_its_port_is_up() -> None:
    made = plan(RailsDesired(), made_so(RAIL))
    assert [step.type for step in made.steps] == ["file_restore", "file_restore", "rails_restore"]
    assert {step.risk for step in made.steps} == {DISRUPTIVE}
    assert made.steps[2].args["old"].addresses == ("10.1.0.11/24",)


def test_a_container_s_rails_are_explained_and_nothing_is_planned() -> None:
    made = plan(RailsDesired((RAIL, PAIR), platform="container"), RailsFacts())
    assert made.empty and {noop.reason for noop in made.noops} == {
        "a container's interfaces belong to who made the container"
    }


def test_another_rail_s_new_address_is_no_work_for_this_one() -> None:
    second = Rail(1, (TWO,), ("10.2.0.11/24",))
    first = made_so(RAIL)
    written = {step.target: step.args["content"] for step in make_plan(second).steps if step.type == "file"}
    facts = dataclasses.replace(
        first,
        files={**first.files, **written},
        links={**first.links, "ens1f1np1": Link("ens1f1np1", 4, True, addresses=second.addresses)},
        rules=(*first.rules, Rule(1001, "10.2.0.11/32", 1001)),
        routes=(*first.routes, ("ens1f1np1", Route("10.2.0.0/24", 1001, "", 1001, "10.2.0.11"))),
        sysctls={**first.sysctls, "ens1f1np1": SYSCTLS},
    )
    assert plan(RailsDesired((RAIL, second), sysctls=SYSCTLS), facts).empty
    moved = dataclasses.replace(RAIL, addresses=("10.1.0.12/24",))
    made = plan(RailsDesired((moved, second), sysctls=SYSCTLS), facts)
    assert [step.target for step in made.steps if step.type == "rails"] == [RAIL.label]


def test_rules_of_a_rail_s_old_number_are_cleared_away_by_the_first_one() -> None:
    second = dataclasses.replace(RAIL, rail=5)
    (step,) = [
        one for one in plan(RailsDesired((second,), sysctls=SYSCTLS), made_so(RAIL)).steps if one.type == "rails"
    ]
    assert step.args["old"].rules == (Rule(1000, "10.1.0.11/32", 1000),)

"""Rules between hosts: for each a fleet that breaks it and one next to it that does not."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.inventory import check

# (what breaks the rule, what keeps it, variable of the finding, a part of what is found)
CASES = [
    (
        "{a: {node_address: 10.0.0.1}, b: {node_address: 10.0.0.1}}",
        "{a: {node_address: 10.0.0.1}, b: {node_address: 10.0.0.2}}",
        "node_address",
        "10.0.0.1: the same address for a (node_address",
    ),
    (
        "{a: {ansible_host: 10.0.0.1}, b: {ansible_host: 10.0.0.1}}",
        "{a: {ansible_host: 10.0.0.1}, b: {ansible_host: 10.0.0.2}}",
        "ansible_host",
        "10.0.0.1: the same address",
    ),
    (
        "{a: {node_address: 10.0.0.1}, b: {ansible_host: 10.0.0.1}}",
        "{a: {node_address: 10.0.0.1, ansible_host: 10.0.0.1}}",
        "ansible_host",
        "for a (node_address",
    ),
    (
        "{a: {node_address: 'fe80::1'}, b: {node_address: 'FE80:0::1'}}",
        "{a: {node_address: 'fe80::1'}, b: {node_address: 'fe80::2'}}",
        "node_address",
        "fe80::1",
    ),
    (
        "{10.0.0.1: , b: {ansible_host: 10.0.0.1}}",
        "{10.0.0.1: , b: {ansible_host: 10.0.0.2}}",
        "ansible_host",
        "(inventory name)",
    ),
    (
        "{a: {node_address: BMC1.example.com}, b: {node_address: bmc1.example.com.}}",
        "{a: {node_address: bmc1}, b: {node_address: bmc2}}",
        "node_address",
        "bmc1.example.com",
    ),
    (
        "{a: {node_serial: SN1}, b: {node_serial: sn1}}",
        "{a: {node_serial: SN1}, b: {node_serial: SN2}}",
        "node_serial",
        "the same serial",
    ),
    ("{Node1: , node1: }", "{node1: , node2: }", "hostname", "differ only in case"),
    ("{n1: , n1.example.com: }", "{n1.example.com: , n2.example.com: }", "hostname", "share the short name n1"),
    (
        "{a: {node_leaf: l, node_spine: s1}, b: {node_leaf: l, node_spine: s2}}",
        "{a: {node_leaf: l, node_spine: s1}, b: {node_leaf: m, node_spine: s2}, c: {node_leaf: n}}",
        "node_spine",
        "leaf l stands under s1 (by a), s2 (by b)",
    ),
    (
        "{a: , rack: }, children: {rack: {hosts: {a: }}}",
        "{a: }, children: {rack: {hosts: {a: }}}",
        "hostname",
        "rack is a host and a group",
    ),
]


@pytest.mark.parametrize(("red", "green", "variable", "told"), CASES)
def test_a_rule_sees_the_fleet_that_breaks_it_and_only_that(
    found: Any, red: str, green: str, variable: str, told: str
) -> None:
    (finding,) = found(f"nodes: {{hosts: {red}}}")
    assert (finding.variable, finding.severity) == (variable, "error")
    assert told in finding.found
    assert found(f"nodes: {{hosts: {green}}}") == []


@pytest.mark.parametrize(
    "hosts",
    [
        "{a: {ansible_host: 127.0.0.1, ansible_port: 2201}, b: {ansible_host: 127.0.0.1, ansible_port: 2202}}",
        "{a: {ansible_connection: local, ansible_host: x}, b: {ansible_connection: local, ansible_host: x}}",
        "{a: {node_rack: r1, node_leaf: l1}, b: {node_rack: r1, node_leaf: l2}}",
        "{a: {node_serial: ''}, b: {node_serial: ''}}",
        "{a: {node_address: ''}, b: {node_address: ''}}",
    ],
)
def test_what_only_looks_like_a_clash_is_none(found: Any, hosts: str) -> None:
    assert found(f"nodes: {{hosts: {hosts}}}") == []


def test_the_same_forwarding_port_twice_is_a_clash(found: Any) -> None:
    hosts = "{a: {ansible_host: h, ansible_port: 2201}, b: {ansible_host: h, ansible_port: 2201}}"
    assert "h port 2201" in found(f"nodes: {{hosts: {hosts}}}")[0].found


def test_short_names_shared_across_domains_are_a_doubt_only(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {n1.east.example: , n1.west.example: }}")
    assert finding.severity == "warning"


def test_addresses_that_stand_apart_from_the_nodes_are_compared_too(found: Any) -> None:
    hosts = "{nodes: {hosts: {a: {node_address: 10.0.0.1}}}, jump: {hosts: {j: {ansible_host: 10.0.0.1}}}}"
    (finding,) = found(hosts)
    assert finding.hosts == ("a", "j")


def test_addresses_that_come_out_of_templates_are_compared(found: Any) -> None:
    hosts = "nodes: {vars: {node_address: '{{ bmc }}'}, hosts: {a: {bmc: 10.0.0.1}, b: {bmc: 10.0.0.1}}}"
    (finding,) = found(hosts)
    assert finding.variable == "node_address"


RAIL = "{{rail: 0, pci: '0000:3b:00.0', addresses: [{}/24]}}"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (f"rails_ports: [{RAIL.format('10.1.0.11')}]", "10.1.0.11: the same address for a (rails_ports"),
        (f"rails_ports: [{RAIL.format('10.1.0.12')}]", ""),
        ("node_address: 10.1.0.11", "10.1.0.11: the same address for a (rails_ports"),
    ],
    ids=["on a rail of both", "each its own", "a node's own address"],
)
def test_an_address_of_a_rail_is_no_other_machine_s(loaded: Any, other: str, told: str) -> None:
    first = f"rails_ports: [{RAIL.format('10.1.0.11')}]"
    hosts = f"nodes: {{vars: {{raceway_roles: [node, rails]}}, hosts: {{a: {{{first}}}, b: {{{other}}}}}}}"
    findings = [one.found for one in check(loaded(hosts)) if "the same address" in one.found]
    assert [told in one for one in findings] == ([True] if told else [])


def test_a_clash_of_many_hosts_is_one_finding(found: Any) -> None:
    hosts = ", ".join(f"n{number}: {{node_serial: X}}" for number in range(9))
    (finding,) = found(f"nodes: {{hosts: {{{hosts}}}}}")
    assert len(finding.hosts) == 9
    assert finding.found.endswith("and 5 more")


def test_a_clash_names_the_lines_of_both(found: Any) -> None:
    (finding,) = found("nodes:\n  hosts:\n    a:\n      node_serial: X\n    b:\n      node_serial: X\n")
    assert ":4)" in finding.found
    assert ":6)" in finding.found


def test_a_clash_of_hosts_outside_the_limit_is_left_out(found: Any) -> None:
    hosts = "nodes: {hosts: {a: {node_serial: X}, b: {node_serial: X}, c: }}"
    assert found(hosts, limit="c") == []
    assert len(found(hosts, limit="a")) == 1

"""Names nothing will read are told once for each place; names of other products can be declared as such."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway.inventory import Inventory, check


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("tin_collour", "did you mean tin_colour?"),
        ("tin_excavator", "remove it"),
        ("raceway_rolse", "did you mean raceway_roles?"),
    ],
)
def test_an_unknown_variable_of_a_role_is_told_with_the_next_act(found: Any, name: str, act: str) -> None:
    (finding,) = found(f"nodes: {{hosts: {{a: {{{name}: 1}}}}}}")
    assert (finding.variable, finding.line, finding.hosts) == (name, 1, ("a",))
    assert act in finding.act


@pytest.mark.parametrize("name", ["tinker", "other_size", "tin", "ansible_host_x"])
def test_variables_of_others_are_left_alone(found: Any, name: str) -> None:
    assert found(f"nodes: {{hosts: {{a: {{{name}: 1}}}}}}") == []


def test_a_declared_foreign_pattern_is_left_alone(found: Any) -> None:
    hosts = "nodes: {vars: {tin_can_version: 1, raceway_foreign_variables: ['tin_can_*']}, hosts: {a: }}"
    assert found(hosts) == []
    assert found(hosts.replace("tin_can_*", "tin_box_*"))


def test_the_same_typo_in_two_places_is_two_findings(found: Any) -> None:
    findings = found("nodes: {hosts: {a: {tin_sise: 1}, b: }}", group_vars__nodes="tin_sise: 2\n")
    assert [(Path(one.file).name, one.hosts) for one in findings] == [("nodes.yml", ("a", "b")), ("hosts.yml", ("a",))]


def test_a_typo_in_the_variables_of_a_group_without_hosts_is_still_told(found: Any) -> None:
    (finding,) = found("{nodes: {hosts: {a: }}, later: {vars: {tin_sise: 1}}}")
    assert finding.hosts == ()


def test_an_unknown_role_is_told_with_the_known_ones(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: {raceway_roles: [tim]}}}")
    assert (finding.found, finding.allowed, finding.act) == ('unknown role "tim"', "tin", "did you mean tin?")
    assert found("nodes: {hosts: {a: {raceway_roles: [tin]}}}") == []


def test_roles_that_are_no_list_are_told(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: {raceway_roles: tin}}}")
    assert (finding.variable, finding.act) == ("raceway_roles", "write [tin]")


def test_a_group_priority_in_group_vars_is_told_because_it_has_no_effect(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: }}", group_vars__nodes="ansible_group_priority: 5\n")
    assert (finding.severity, finding.line) == ("warning", 1)
    assert found("nodes: {vars: {ansible_group_priority: 5}, hosts: {b: }}", group_vars__nodes="x: 1\n") == []


def test_every_variable_of_the_real_roles_is_known(loaded: Callable[[str], Inventory]) -> None:
    (finding,) = check(loaded("nodes: {vars: {kernel_default_qdisk: fq}, hosts: {a: }}"))
    assert finding.act == "did you mean kernel_default_qdisc?"
    assert check(loaded("nodes: {vars: {kernel_default_qdisc: fq}, hosts: {a: }}")) == []

"""The node role's rules: each with a declaration that breaks it and one beside it that does not."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.inventory.specs import load_specs
from raceway.roles.node import bad_address, bad_label_key, bad_label_value, needs, rules


def declared(**changes: Any) -> dict[str, Any]:
    """Return the role's defaults with some variables changed (names without the prefix)."""
    return {**load_specs()["node"].defaults, **{f"node_{name}": value for name, value in changes.items()}}


GPUS = {"accelerator_kind": "nvidia", "accelerator_count": 8}
CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"cpus": -1}, {"cpus": 0}, "node_cpus"),
    ({"memory_gib": -1}, {"memory_gib": 1}, "node_memory_gib"),
    ({"rdma_ports": -2}, {"rdma_ports": 8}, "node_rdma_ports"),
    ({"accelerator_count": 8}, GPUS, "node_accelerator_count"),
    ({"accelerator_kind": "amd"}, {**GPUS, "accelerator_kind": "amd"}, "node_accelerator_kind"),
    ({"accelerator_model": "H100"}, {**GPUS, "accelerator_model": "H100"}, "node_accelerator_model"),
    ({"rack": "row 3"}, {"rack": "row-3"}, "node_rack"),
    ({"leaf": "x" * 64}, {"leaf": "x" * 63}, "node_leaf"),
    ({"spine": "s1"}, {"spine": "s1", "leaf": "l1"}, "node_spine"),
    ({"labels": {"-a": "x"}}, {"labels": {"a": "x"}}, "node_labels"),
    ({"labels": {"Example.com/a": "x"}}, {"labels": {"example.com/a": "x"}}, "node_labels"),
    ({"labels": {"a": "no spaces"}}, {"labels": {"a": ""}}, "node_labels"),
    ({"labels": {"a": True}}, {"labels": {"a": "true"}}, "node_labels"),
    ({"labels": {"a": 3}}, {"labels": {"a": "3"}}, "node_labels"),
    ({"labels": {"kubernetes.io/x": "y"}}, {"labels": {"node-role.kubernetes.io/gpu": ""}}, "node_labels"),
    ({"taints": ["gpu"]}, {"taints": ["gpu:NoSchedule"]}, "node_taints"),
    ({"taints": ["gpu=a:Never"]}, {"taints": ["gpu=a:NoExecute"]}, "node_taints"),
    ({"taints": ["=a:NoSchedule"]}, {"taints": ["example.com/g=a:NoSchedule"]}, "node_taints"),
    ({"taints": ["a=b c:NoSchedule"]}, {"taints": ["a=b-c:PreferNoSchedule"]}, "node_taints"),
    ({"taints": ["a=x:NoSchedule", "a=y:NoSchedule"]}, {"taints": ["a:NoSchedule", "a:NoExecute"]}, "node_taints"),
    ({"taints": ["a=x:NoSchedule", "a=x:NoSchedule"]}, {"taints": ["a=x:NoSchedule"]}, "node_taints"),
    ({"rdma_resource": "rdma"}, {"rdma_resource": "rdma/ib"}, "node_rdma_resource"),
    ({"rdma_resource": "a/b/c"}, {"rdma_resource": "nvidia.com/hostdev"}, "node_rdma_resource"),
    ({"address": "10.0.0.256"}, {"address": "10.0.0.255"}, "node_address"),
    ({"address": "two words"}, {"address": "fe80::1"}, "node_address"),
]


@pytest.mark.parametrize(("red", "green", "variable"), CASES)
def test_a_rule_sees_what_breaks_it_and_only_that(red: dict[str, Any], green: dict[str, Any], variable: str) -> None:
    problems = rules(declared(**red))
    assert [problem.variable for problem in problems] == [variable]
    assert all(problem.found and problem.act for problem in problems)
    assert rules(declared(**green)) == []


def test_the_defaults_break_no_rule() -> None:
    assert rules(declared()) == []


def test_a_label_under_kubernetes_own_prefix_is_a_doubt_only() -> None:
    (problem,) = rules(declared(labels={"kubernetes.io/x": "y"}))
    assert problem.severity == "warning"


def test_a_fabric_of_leafs_alone_is_fine() -> None:
    assert rules(declared(leaf="leaf1", rack="r1")) == []


def test_all_mistakes_of_a_machine_are_told_at_once() -> None:
    variables = {problem.variable for problem in rules(declared(cpus=-1, address="a b", taints=["x"]))}
    assert variables == {"node_cpus", "node_address", "node_taints"}


def test_a_machine_asks_nothing_of_the_kernel() -> None:
    assert needs(declared()) == []


@pytest.mark.parametrize("text", ["a", "a.b", "a_b-c", "example.com/a", "A1"])
def test_label_keys_by_kubernetes_rules_are_accepted(text: str) -> None:
    assert bad_label_key(text) == ""


@pytest.mark.parametrize("text", ["", "a/", "/a", "a b", "x" * 64, f"{'a.' * 127}a/x", "_a", "a.", "ex ample.com/a"])
def test_label_keys_against_kubernetes_rules_are_told(text: str) -> None:
    assert bad_label_key(text)


def test_an_empty_label_value_is_a_value() -> None:
    assert bad_label_value("") == ""
    assert bad_label_value("-")


@pytest.mark.parametrize("text", ["10.0.0.7", "::1", "host", "host.example.com", "host.example.com.", "HOST-1"])
def test_addresses_and_host_names_are_accepted(text: str) -> None:
    assert bad_address(text) == ""


@pytest.mark.parametrize("text", ["10.0.0", "10.0.0.7/24", "host_1", "-host", "a..b", "x" * 64, "http://host"])
def test_what_is_neither_address_nor_host_name_is_told(text: str) -> None:
    assert bad_address(text)

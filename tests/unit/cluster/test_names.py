"""Names, labels and resource keys: what the API would refuse is told before."""

from __future__ import annotations

import pytest

from raceway.cluster.names import check_labels, check_name, check_resources


@pytest.mark.parametrize("name", ["Node-1", "-a", "a-", "a_b", "", "a" * 254, "a..b"])
def test_an_illegal_name_is_told_with_the_allowed_form(name: str) -> None:
    (problem,) = check_name("queue", name)
    assert repr(name) == problem.found and "lower case letters" in problem.allowed


def test_a_dot_is_fine_in_a_name_but_not_in_a_label() -> None:
    assert check_name("x", "node-1.lab") == []
    assert len(check_name("x", "node-1.lab", "label")) == 1


def test_mem_is_answered_with_memory() -> None:
    (problem,) = check_resources("queue a capability", ["mem"], ["nvidia.com/gpu"])
    assert problem.place == "queue a capability.mem" and problem.act == "did you mean memory?"


def test_a_bare_gpu_and_a_plural_are_answered_with_the_resource_the_machines_have() -> None:
    problems = check_resources("q", ["gpu", "nvidia.com/gpus"], ["nvidia.com/gpu"])
    assert [problem.act for problem in problems] == ["did you mean nvidia.com/gpu?"] * 2


def test_core_resources_and_hugepages_are_known_without_machines() -> None:
    assert check_resources("q", ["cpu", "memory", "pods", "ephemeral-storage", "hugepages-2Mi"], []) == []


def test_label_domains_of_kubernetes_and_long_values_are_refused() -> None:
    found = check_labels("host a", {"kubernetes.io/role": "x", "node.k8s.io/y": "x", "ok/part": "v" * 64})
    assert [problem.place for problem in found] == [
        "host a.kubernetes.io/role",
        "host a.node.k8s.io/y",
        "host a.ok/part",
    ]

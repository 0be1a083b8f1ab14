"""Namespaces and priority classes."""

from __future__ import annotations

import pytest

from raceway.cluster.tenancy import Namespace, PriorityClass, check_namespaces, check_priorities


def test_a_namespace_enforces_its_pod_security_level() -> None:
    labels = Namespace("team-a", "restricted", {"x/y": "z"}).manifest()["metadata"]["labels"]
    assert labels == {"pod-security.kubernetes.io/enforce": "restricted", "x/y": "z"}


@pytest.mark.parametrize(
    ("namespace", "what"),
    [
        (Namespace("kube-system"), "Kubernetes' own"),
        (Namespace("Team"), "'Team'"),
        (Namespace("a", "strict"), "'strict'"),
        (Namespace("a", labels={"k8s.io/x": "y"}), "belongs to Kubernetes"),
    ],
)
def test_what_the_api_refuses_or_owns_is_told(namespace: Namespace, what: str) -> None:
    assert what in check_namespaces([namespace])[0].message()


def test_a_priority_is_never_the_global_default() -> None:
    manifest = PriorityClass("high", 10, description="first").manifest()
    assert manifest["globalDefault"] is False and manifest["value"] == 10


@pytest.mark.parametrize(
    ("priority", "what"),
    [
        (PriorityClass("system-x", 1), "belongs to Kubernetes"),
        (PriorityClass("x", 2_000_000_000), "2000000000"),
        (PriorityClass("x", 1, "Sometimes"), "'Sometimes'"),
    ],
)
def test_a_priority_the_api_refuses_is_told(priority: PriorityClass, what: str) -> None:
    assert what in check_priorities([priority])[0].message()


def test_two_priorities_of_one_value_are_refused() -> None:
    assert "as a has" in check_priorities([PriorityClass("a", 1), PriorityClass("b", 1)])[0].message()

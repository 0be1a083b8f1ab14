"""Drift as it is told: kind, name and field."""

from __future__ import annotations

from typing import Any

from raceway.stack.run import _differences


def make_step(op: str, detailed: dict[str, Any] | None = None, **metadata: str) -> dict[str, Any]:
    state = {"type": "kubernetes:scheduling.volcano.sh/v1beta1:Queue", "inputs": {"metadata": metadata}}
    step = {"op": op, "urn": "urn:pulumi:lab::p::k:x:Queue::q", "newState": state, "detailedDiff": detailed}
    return {**step, "diffReasons": ["spec"]}


def test_a_changed_field_is_named_with_kind_and_object() -> None:
    (found,) = _differences(make_step("update", {"spec.weight": {"kind": "update"}}, name="train"))
    assert found.message() == "Queue train: spec.weight (update)"


def test_an_object_that_is_gone_is_told_as_a_whole() -> None:
    (found,) = _differences({**make_step("create", name="train"), "diffReasons": None})
    assert found.message() == "Queue train (create)"


def test_a_patch_is_told_by_the_kind_it_patches_and_a_namespace_is_shown() -> None:
    step = make_step("update", {"metadata.labels.a": {"kind": "add"}}, name="n1", namespace="x")
    step["newState"]["type"] = "kubernetes:core/v1:NodePatch"
    assert _differences(step)[0].message() == "Node x/n1: metadata.labels.a (add)"


def test_what_is_the_same_is_no_drift() -> None:
    assert _differences(make_step("same", name="train")) == []

"""What a node's answer means for Ansible: changed, failed and diff, in every mode."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.report import task_result


def make_step(target: str = "net.core.somaxconn") -> dict[str, str]:
    told = {"what": f"set {target}", "why": "asked for", "risk": "safe", "undo": "set it back"}
    return {"type": "sysctl", "target": target, "before": "128", "after": "8192", **told}


def make_answer(steps: int = 0, applied: int = 0, remaining: int = 0, refused: bool = False) -> dict[str, Any]:
    row = {"target": "eth0", "reason": "is disruptive", "act": "consent"}
    plan = {"steps": [make_step()] * steps, "noops": 7, "refusals": [row] if refused else [], "reboots": []}
    done = [{"role": "kernel", "type": "sysctl", "target": "t", "what": "set t"}]
    left = [{"role": "kernel", "target": "t", "what": "set t"}]
    return {
        "roles": {"kernel": plan},
        "applied": done * applied,
        "refused": [],
        "remaining": left * remaining,
        "reboots": [],
    }


@pytest.mark.parametrize(
    ("mode", "check", "answer", "changed", "failed"),
    [
        ("apply", False, make_answer(), False, False),
        ("apply", False, make_answer(steps=1, applied=1), True, False),
        ("apply", True, make_answer(steps=1), True, False),
        ("apply", False, make_answer(steps=1, applied=1, remaining=1), True, True),
        ("apply", False, make_answer(refused=True), False, True),
        ("plan", False, make_answer(steps=1, refused=True), False, False),
        ("verify", False, make_answer(), False, False),
        ("verify", False, make_answer(steps=1), False, True),
        ("verify", True, make_answer(steps=1), False, False),
        ("verify", True, make_answer(refused=True), False, True),
    ],
)
def test_changed_and_failed_follow_from_mode_and_answer(
    mode: str, check: bool, answer: dict[str, Any], changed: bool, failed: bool
) -> None:
    result = task_result(answer, mode, check, "fail")
    assert (result["changed"], bool(result.get("failed"))) == (changed, failed)


def test_reported_refusals_do_not_fail_the_task_and_are_all_in_the_result() -> None:
    result = task_result(make_answer(refused=True), "apply", False, "report")
    assert "failed" not in result
    assert result["refused"] == [{"role": "kernel", "target": "eth0", "reason": "is disruptive", "act": "consent"}]


def test_a_failed_verify_names_found_and_declared_and_a_refusal_its_next_act() -> None:
    told = task_result(make_answer(steps=1, refused=True), "verify", False, "fail")["msg"].splitlines()
    assert told == [
        "net.core.somaxconn: is '128', declared '8192'",
        "kernel: eth0: is disruptive; next: consent",
    ]


def test_the_diff_of_a_step_tells_risk_reason_and_undo() -> None:
    (row,) = task_result(make_answer(steps=1), "apply", True, "fail")["diff"]
    assert row["after_header"] == "net.core.somaxconn (safe: asked for; undo: set it back)"
    assert (row["before"], row["after"]) == ("128\n", "8192\n")


def test_roles_with_steps_are_pending_with_the_types_of_their_steps() -> None:
    result = task_result(make_answer(steps=1), "plan", False, "fail")
    assert result["pending"] == ["kernel"]
    assert result["roles"]["kernel"]["types"] == ["sysctl"]

"""How a run is told: equal nodes on one line, everything that went wrong with its reason, the same as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from raceway import summary


def make_result(applied: int = 0, steps: int = 0, noops: int = 0, **refused: str) -> dict[str, Any]:
    planned = [{"what": f"step {number}", "why": "w", "risk": "safe", "undo": "u"} for number in range(steps)]
    return {
        "roles": {"kernel": {"steps": planned, "noops": noops}},
        "applied": [{"what": f"step {number}"} for number in range(applied)],
        "refused": [{"target": key, "reason": why, "act": "mend it"} for key, why in refused.items()],
        "reboots": [],
    }


def make_node(*results: dict[str, Any]) -> summary.Node:
    node = summary.Node()
    for result in results:
        node.take(result)
    return node


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["n1"], "n1"),
        (["n1", "n2", "n3"], "n[1-3]"),
        (["n10", "n9", "n2"], "n2, n[9-10]"),
        (["gpu-01", "gpu-02", "login"], "gpu-[01-02], login"),
        (["a", "b", "c", "d", "e", "f"], "a, b, c, d and 2 more"),
        ([f"n{number}" for number in range(1, 301)], "n[1-300]"),
    ],
)
def test_names_are_folded_naturally_and_the_rest_is_counted(names: list[str], folded: str) -> None:
    assert summary.fold(names) == folded


def test_three_hundred_nodes_that_fared_alike_are_one_row_of_the_table() -> None:
    nodes = {f"n{number}": make_node(make_result(applied=2, steps=2, noops=5)) for number in range(1, 301)}
    rows = summary.table(nodes)
    assert len(rows) == 2
    assert rows[1].split() == ["n[1-300]", "2", "5", "0", "0", "as", "declared"]


def test_a_node_that_fared_otherwise_has_a_row_of_its_own_and_its_reason() -> None:
    nodes = {"n1": make_node(make_result()), "n2": make_node(make_result(qdisc="is disruptive"))}
    nodes["n2"].failures.append("Read everything back: …")
    assert len(summary.table(nodes)) == 3
    assert summary.reasons(nodes) == ["n2: refused qdisc: is disruptive; next: mend it"]


def test_a_reboot_that_apply_asked_for_is_not_forgotten_by_the_reading_that_follows() -> None:
    given_up = {**make_result(applied=1, steps=1), "reboots": [{"target": "iommu=pt", "reason": "still running"}]}
    node = make_node(given_up, make_result())
    assert node.verdict == "reboot needed" and node.reboots == {"iommu=pt": "still running"}


def test_a_refusal_while_applying_is_not_forgotten_by_the_reading_that_follows() -> None:
    node = make_node(make_result(key="the kernel said no"), make_result())
    assert node.refusals == {"key": "the kernel said no; next: mend it"}


def test_the_first_reason_of_a_target_is_the_cause_and_stays() -> None:
    node = make_node(make_result(x="disk full"), make_result(x="not done"))
    assert node.refusals["x"].startswith("disk full")


@pytest.mark.parametrize(
    ("node", "verdict"),
    [
        (summary.Node(), "as declared"),
        (summary.Node(planned=["a"]), "would change"),
        (summary.Node(planned=["a"], applied=["a"]), "as declared"),
        (summary.Node(reboots={"iommu=pt": "r"}), "reboot needed"),
        (summary.Node(failures=["f"]), "failed"),
        (summary.Node(failures=["f"], refusals={"k": "r"}), "refused"),
        (summary.Node(failures=["f"], unreachable=True), "unreachable"),
    ],
)
def test_the_verdict_is_the_worst_that_is_known(node: summary.Node, verdict: str) -> None:
    assert node.verdict == verdict


def test_steps_are_told_with_why_risk_and_undo() -> None:
    assert summary.steps(make_result(steps=1)) == ["kernel: step 0 — w [safe; undo: u]"]


def test_a_failed_program_is_told_with_the_last_line_it_wrote() -> None:
    told = summary.failure({"msg": "non-zero return code", "stderr": "usage: x\nx: no such device\n"})
    assert told == "non-zero return code: x: no such device"


def test_the_json_report_holds_every_node_with_what_was_planned_and_applied() -> None:
    report = json.loads(summary.as_json({"n1": make_node(make_result(applied=1, steps=1, noops=3))}))
    assert report["nodes"]["n1"]["planned"] == report["nodes"]["n1"]["applied"] == ["step 0"]
    assert report["nodes"]["n1"]["as_declared"] == 3

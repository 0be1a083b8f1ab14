"""HyperNodes: built from the fabric's declaration, and the four bad kinds of B22 refused by name."""

from __future__ import annotations

import re

import pytest

from raceway.cluster.hypernodes import HyperNode, Member, anchored, check_hypernodes, check_leafs, from_machines
from raceway.model.machine import Machine

NODES = [f"node-{number}" for number in range(1, 13)]


def make_machine(name: str, leaf: str = "", spine: str = "") -> Machine:
    return Machine(name, leaf=leaf, spine=spine)


def two_leafs_one_spine() -> list[Machine]:
    return [make_machine(f"node-{n}", "leaf-1" if n <= 2 else "leaf-2", "pod-1") for n in (10, 1, 2, 3)]


def refused(hypernode: HyperNode) -> str:
    (problem,) = check_hypernodes([hypernode], NODES)
    return problem.message()


def test_leafs_spines_and_the_whole_become_three_tiers() -> None:
    made = from_machines(two_leafs_one_spine())
    assert [(one.name, one.tier) for one in made] == [("leaf-1", 1), ("leaf-2", 1), ("spine-pod-1", 2), ("fabric", 3)]
    assert [member.exact for member in made[1].members] == ["node-3", "node-10"]
    assert made[3].manifest()["spec"]["members"] == [
        {"type": "HyperNode", "selector": {"exactMatch": {"name": "spine-pod-1"}}}
    ]
    assert check_hypernodes(made, [machine.name for machine in two_leafs_one_spine()]) == []


def test_without_declared_leafs_there_are_no_hypernodes() -> None:
    assert from_machines([make_machine("node-1"), make_machine("node-2")]) == ()


def test_without_spines_the_whole_holds_the_leafs_and_nodes_without_leaf() -> None:
    made = from_machines([make_machine("node-1", "1"), make_machine("node-2")])
    assert [(one.name, one.tier) for one in made] == [("leaf-1", 1), ("fabric", 3)]
    assert [(member.type, member.exact) for member in made[1].members] == [("HyperNode", "leaf-1"), ("Node", "node-2")]


def test_a_generated_pattern_for_node_1_never_takes_node_10() -> None:
    pattern = anchored(["node-1", "node-2.lab"])
    assert [name for name in (*NODES, "node-2.lab", "node-2xlab") if re.search(pattern, name)] == [
        "node-1",
        "node-2.lab",
    ]
    (leaf, *_) = from_machines(two_leafs_one_spine(), "regex")
    assert leaf.manifest()["spec"]["members"][0]["selector"] == {"regexMatch": {"pattern": "^(?:node-1|node-2)$"}}


def test_a_member_with_neither_selector_is_refused() -> None:
    assert "HyperNode s1 member 0: no selector" in refused(HyperNode("s1", 1, (Member("Node"),)))


def test_a_member_with_both_selectors_is_refused() -> None:
    both = Member("Node", exact="node-1", regex="^node-1$")
    assert "HyperNode s1 member 1: exact and regex" in refused(HyperNode("s1", 1, (Member("Node", "node-2"), both)))


def test_a_pattern_that_does_not_compile_is_refused() -> None:
    assert "HyperNode s1 member 0: pattern 'node-['" in refused(HyperNode("s1", 1, (Member("Node", regex="node-["),)))


def test_a_name_that_no_node_can_have_is_refused() -> None:
    assert "HyperNode s1 member 0: 'Node_1'" in refused(HyperNode("s1", 1, (Member("Node", "Node_1"),)))


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("node-1", "also takes part"),
        ("^(?=node)node-1$", "RE2"),
        ("^rack-9$", "matches nothing"),
        (r"^(n)ode-1\1$", "RE2"),
    ],
)
def test_patterns_the_scheduler_reads_otherwise_are_refused(pattern: str, why: str) -> None:
    assert why in refused(HyperNode("s1", 1, (Member("Node", regex=pattern),)))


def test_a_node_in_two_tier_1_hypernodes_is_refused_naming_both() -> None:
    first = HyperNode("s1", 1, (Member("Node", "node-1"), Member("Node", "node-2")))
    second = HyperNode("s2", 1, (Member("Node", regex="^node-[2-3]$"),))
    (problem,) = check_hypernodes([first, second], NODES)
    assert (
        problem.message() == "node node-2: in tier-1 HyperNodes s1 and s2; allowed: one; next: leave it in one of them"
    )


def test_a_hypernode_cannot_hold_one_of_its_own_or_a_higher_tier() -> None:
    leaf = HyperNode("a", 1, (Member("Node", "node-1"),))
    same = HyperNode("b", 1, (Member("HyperNode", "a"),))
    assert "a tier below 1" in check_hypernodes([leaf, same], NODES)[0].message()


def test_unknown_nodes_unknown_hypernodes_and_empty_groups_are_refused() -> None:
    bad = [
        HyperNode("a", 1, (Member("Node", "node-99"),)),
        HyperNode("b", 2, (Member("HyperNode", "zz"),)),
        HyperNode("c", 1, ()),
    ]
    assert [problem.place for problem in check_hypernodes(bad, NODES)] == [
        "HyperNode a member 0",
        "HyperNode b member 0",
        "HyperNode c members",
    ]


def test_a_leaf_under_two_spines_is_refused() -> None:
    (problem,) = check_leafs(
        [make_machine("a", "l1", "s1"), make_machine("b", "l1", "s2"), make_machine("c", "l2", "s2")]
    )
    assert problem.place == "leaf l1" and "spine s1 (a) and spine s2 (b)" in problem.found

"""The plan vocabulary: every row explains itself, consent is by risk, JSON holds no argument of a handler."""

from __future__ import annotations

import json

import pytest

from raceway.model.plan import (
    DESTRUCTIVE,
    DISRUPTIVE,
    SAFE,
    Noop,
    Plan,
    Reboot,
    Refusal,
    Step,
    from_json,
    gate,
    join,
    sort,
    to_json,
)


def make_step(target: str = "t", risk: str = SAFE, **args: object) -> Step:
    return Step("file", target, f"write {target}", "asked for", risk, "remove it", "old", "new", args)


@pytest.mark.parametrize("missing", ["what", "why", "undo"])
def test_a_step_without_what_why_or_undo_cannot_be_made(missing: str) -> None:
    words = {"what": "w", "why": "y", "undo": "u", missing: ""}
    with pytest.raises(ValueError, match="what, why and undo must all be told"):
        Step("file", "t", words["what"], words["why"], SAFE, words["undo"])


def test_a_risk_outside_the_three_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="'harmless' is none of safe, disruptive, destructive"):
        Step("file", "t", "w", "y", "harmless", "u")


def test_noops_and_refusals_must_be_explained() -> None:
    with pytest.raises(ValueError, match="a noop must be explained"):
        Noop("t", "")
    with pytest.raises(ValueError, match="reason and next act"):
        Refusal("t", "reason", "")


def test_a_plan_is_empty_when_nothing_is_to_do_and_nothing_refused() -> None:
    assert Plan(noops=(Noop("t", "r"),), reboots=(Reboot("t", "r"),)).empty
    assert not Plan(steps=(make_step(),)).empty
    assert not Plan(refusals=(Refusal("t", "r", "a"),)).empty


def test_join_keeps_the_order_of_every_kind() -> None:
    one, two = Plan(steps=(make_step("a"),)), Plan(steps=(make_step("b"),), noops=(Noop("n", "r"),))
    both = join([one, two])
    assert [step.target for step in both.steps] == ["a", "b"]
    assert both.noops == two.noops


def test_sort_puts_each_outcome_with_its_kind() -> None:
    plan = sort([Noop("n", "r"), make_step("a"), Refusal("f", "r", "a"), make_step("b")])
    assert ([s.target for s in plan.steps], len(plan.noops), len(plan.refusals)) == (["a", "b"], 1, 1)


def test_gate_lets_through_what_is_consented_to_and_names_the_variable_for_the_rest() -> None:
    plan = Plan(steps=(make_step("a"), make_step("b", DISRUPTIVE), make_step("c", DESTRUCTIVE)))
    gated = gate(plan, (SAFE, DISRUPTIVE), "system")
    assert [step.target for step in gated.steps] == ["a", "b"]
    (refusal,) = gated.refusals
    assert (refusal.target, refusal.act) == ("c", "set system_allow_destructive: true to consent")
    assert refusal.reason == "write c is destructive (asked for)"


def test_gate_keeps_refusals_that_were_there_noops_and_reboots() -> None:
    plan = Plan(noops=(Noop("n", "r"),), refusals=(Refusal("x", "r", "a"),), reboots=(Reboot("b", "r"),))
    assert gate(plan, (), "system") == plan


def test_json_goes_both_ways_without_the_handlers_arguments() -> None:
    plan = Plan((make_step(content="s3cr3t"),), (Noop("n", "r"),), (Refusal("x", "r", "a"),), (Reboot("b", "r"),))
    text = json.dumps(to_json(plan))
    assert "s3cr3t" not in text
    back = from_json(json.loads(text))
    assert back.steps == (make_step(),)
    assert (back.noops, back.refusals, back.reboots) == (plan.noops, plan.refusals, plan.reboots)


def test_without_explanations_noops_are_only_counted() -> None:
    assert to_json(Plan(noops=(Noop("a", "r"), Noop("b", "r"))), explain=False)["noops"] == 2

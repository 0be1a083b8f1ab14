"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/sysctl)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.sysctl import Assignment, Live, SysctlFacts
from raceway.model.sysctl import parse
from raceway.plan.dropin import render
from raceway.plan.sysctl import plan

KEY, PATH, FILE = "net.core.rmem_max", "net/core/rmem_max", "/etc/sysctl.d/90-raceway.conf"
DESIRED = parse({"settings": [{"key": KEY, "value": "536870912"}]})
RIGHT = SysctlFacts(
    live={PATH: Live("536870912")},
    assignments=(Assignment(PATH, "536870912", FILE, 2),),
    own_file=render("kernel", [f"{KEY} = 536870912"]),
    owned={PATH: "212992"},
)


def test_a_machine_as_declared_gives_an_empty_plan_with_reasons() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and len(found.noops) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"live": {PATH: Live("212992")}},
        {"live": {}},
        {"own_file": None},
        {"own_file": ""},
        {"own_file": render("kernel", [f"{KEY} = 1"])},
        {"owned": {PATH: "212992", "vm/swappiness": "60"}},
        {"assignments": (*RIGHT.assignments, Assignment(PATH, "1", "/etc/sysctl.conf", 9))},
        {"tuned": (Assignment(PATH, "1", "/usr/lib/tuned/x/tuned.conf", 9),)},
    ],
)
def test_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_case_b36_no_step_ever_writes_to_a_path_with_a_split_interface() -> None:
    desired = parse({"settings": [{"key": "net.ipv4.conf.eth0.100.200.rp_filter", "value": "0"}]})
    facts = SysctlFacts(live={"net/ipv4/conf/eth0.100.200/rp_filter": Live("2")})
    paths = [step.args["path"] for step in plan(desired, facts).steps if step.type == "sysctl"]
    assert paths == ["net/ipv4/conf/eth0.100.200/rp_filter"]


def test_case_b37_no_line_of_the_file_has_a_comment_behind_a_value() -> None:
    rows = [{"key": KEY, "value": "1", "asked_by": ["a: x"]}, {"key": "vm.swappiness", "value": "1 # y"}]
    facts = SysctlFacts(live={PATH: Live("0"), "vm/swappiness": Live("60")})
    text = plan(parse({"settings": rows}), facts).steps[0].after
    assert [line for line in text.splitlines() if "=" in line] == [f"{KEY} = 1"]


def test_an_original_that_was_recorded_earlier_is_what_undo_promises() -> None:
    facts = dataclasses.replace(RIGHT, live={PATH: Live("1")})
    assert plan(DESIRED, facts).steps[0].undo == f"set {KEY} to 212992"


def test_a_file_read_before_ours_never_conflicts_even_when_ours_is_not_there_yet() -> None:
    early = (Assignment(PATH, "1", "/usr/lib/sysctl.d/50-default.conf", 3),)
    late = (Assignment(PATH, "1", "/etc/sysctl.d/99-x.conf", 3),)
    for rows, refused in ((early, 0), (late, 1)):
        facts = SysctlFacts(live={PATH: Live("0")}, assignments=rows)
        assert len(plan(DESIRED, facts).refusals) == refused

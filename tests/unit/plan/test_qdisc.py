"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/qdisc)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.qdisc import Link, Qdisc, QdiscFacts
from raceway.model.qdisc import parse
from raceway.plan.qdisc import holds, plan

DESIRED = parse({"kind": "fq", "default_route": True, "interfaces": ["eth1"]})
MQ = Qdisc("mq", children=((":1", "fq"), (":2", "fq")))
RIGHT = QdiscFacts(
    roots={"eth0": MQ, "eth1": Qdisc("fq")}, links={"eth0": Link(), "eth1": Link()}, default_routes=("eth0",)
)


def test_case_b38_ports_of_the_declared_kind_give_an_empty_plan() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and [row.target for row in found.noops] == ["eth1", "eth0"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"roots": {**RIGHT.roots, "eth0": Qdisc("mq", children=((":1", "fq"), (":2", "fq_codel")))}},
        {"roots": {**RIGHT.roots, "eth0": Qdisc("mq")}},
        {"roots": {**RIGHT.roots, "eth1": Qdisc("pfifo_fast")}},
        {"roots": {"eth0": MQ}},
        {"links": {"eth0": Link()}},
        {"has_kind": False},
        {"problem": "tc: not found"},
        {"owned": {"eth9": {"kind": "fq_codel", "child": ""}}},
    ],
)
def test_case_b38_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


def test_a_machine_without_default_route_is_told_and_not_passed_in_silence() -> None:
    found = plan(parse({"kind": "fq", "default_route": True}), QdiscFacts())
    assert found.empty and found.noops[0].reason == "no interface carries a default route"


@pytest.mark.parametrize("root", [Qdisc("htb"), Qdisc("tbf"), Qdisc("mqprio", "1:", (("1:1", "cbs"),)), Qdisc("netem")])
def test_what_someone_configured_is_never_replaced(root: Qdisc) -> None:
    facts = dataclasses.replace(RIGHT, roots={**RIGHT.roots, "eth1": root})
    found = plan(DESIRED, facts)
    assert found.steps == () and [row.target for row in found.refusals] == ["eth1"]


def test_a_declared_mq_is_held_by_mq_itself() -> None:
    assert holds(MQ, "mq") and not holds(Qdisc("fq"), "mq")

"""The diagnose role's variables: limits that fit into each other, packages, and the request they make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.evidence import Wanted, parse
from raceway.roles import diagnose

DEFAULTS = Path(__file__).parents[3] / "roles" / "diagnose" / "defaults" / "main.yml"


def make_values(**changed: Any) -> dict[str, Any]:
    return {**yaml.safe_load(DEFAULTS.read_text(encoding="utf-8")), **changed}


def test_the_defaults_are_no_problem_and_are_the_models_own() -> None:
    assert diagnose.rules(make_values()) == []
    assert parse(diagnose.request(make_values(), {})) == Wanted()


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, end) for name, (least, most, _) in diagnose.RANGES.items() for end in (least - 1, most + 1)],
)
def test_a_number_out_of_its_range_is_refused_with_the_range(name: str, value: int) -> None:
    (problem,) = diagnose.rules(make_values(**{name: value}))
    assert (problem.variable, problem.found) == (name, str(value)) and " to " in problem.allowed


def test_a_limit_that_ends_before_the_readings_do_is_refused() -> None:
    (problem,) = diagnose.rules(make_values(diagnose_limit_s=60, diagnose_interval_s=60))
    assert (problem.variable, problem.allowed) == ("diagnose_limit_s", "more than 65")


def test_names_that_could_be_words_of_a_command_line_are_refused() -> None:
    found = diagnose.rules(make_values(diagnose_interfaces=["ens1", "a b", "../x"], diagnose_packages=["-y"]))
    assert [problem.variable for problem in found] == [
        "diagnose_interfaces",
        "diagnose_interfaces",
        "diagnose_packages",
    ]


def test_packages_become_desired_state_and_an_absent_role_asks_for_none() -> None:
    spec = diagnose.desired(make_values(), (), "vm")["package"]
    assert [row["name"] for row in spec["packages"]] == ["ethtool", "pciutils", "tcpdump"]
    assert diagnose.desired(make_values(diagnose_state="absent"), (), "vm")["package"]["packages"] == []
    assert diagnose.needs(make_values()) == []


def test_captures_come_in_their_own_order_each_once() -> None:
    found = diagnose.request(make_values(diagnose_captures=["pause", "roce", "pause"]), {"host": "a"})
    assert (found["captures"], found["about"]) == (["roce", "pause"], {"host": "a"})

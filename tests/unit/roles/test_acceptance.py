"""The acceptance role's variables: limits, transports, ports that cannot be as declared, and packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.roles import acceptance

DEFAULTS = Path(__file__).parents[3] / "roles" / "acceptance" / "defaults" / "main.yml"


def make_values(**changed: Any) -> dict[str, Any]:
    values = yaml.safe_load(DEFAULTS.read_text(encoding="utf-8"))
    return {**values, **{f"acceptance_{name}": value for name, value in changed.items()}}


def found(**changed: Any) -> list[tuple[str, str, str]]:
    return [(one.variable, one.found, one.severity) for one in acceptance.rules(make_values(**changed))]


def test_the_defaults_are_no_problem() -> None:
    assert acceptance.rules(make_values()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, end) for name, (least, most, _) in acceptance.RANGES.items() for end in (least - 1, most + 1)],
)
def test_a_number_out_of_its_range_is_refused_with_the_range(name: str, value: int) -> None:
    (problem,) = acceptance.rules(make_values() | {name: value})
    assert (problem.variable, problem.found) == (name, str(value)) and " to " in problem.allowed


@pytest.mark.parametrize(
    ("changed", "variable", "said"),
    [
        ({"fraction": 0}, "acceptance_fraction", "0"),
        ({"fraction": 1.5}, "acceptance_fraction", "1.5"),
        ({"latency_us": 0}, "acceptance_latency_us", "0"),
        ({"line_rate_gbps": -1}, "acceptance_line_rate_gbps", "-1"),
        ({"measures": []}, "acceptance_measures", "none"),
        ({"transport": "tcp"}, "acceptance_measures", "bandwidth, latency with tcp"),
        ({"packages": ["-y"]}, "acceptance_packages", '"-y"'),
    ],
)
def test_a_value_that_cannot_be_is_refused(changed: dict[str, Any], variable: str, said: str) -> None:
    assert found(**changed) == [(variable, said, "error")]


def test_a_port_without_an_address_is_a_warning_since_the_others_can_be_measured() -> None:
    rows = found(ports=[{"rail": 0, "address": "10.0.0.1"}, {"rail": 1}], line_rate_gbps=400)
    assert rows == [("acceptance_ports", "rail 1 has no address", "warning")]


def test_ports_that_contradict_each_other_are_refused() -> None:
    ports = [{"rail": 0, "address": "10.0.0.1"}, {"rail": 0, "address": "10.0.0.1"}, {"rail": 200, "address": "here"}]
    said = [text for _, text, _ in found(ports=ports, line_rate_gbps=400)]
    assert said == ["rail 0 twice", "rail 0: 10.0.0.1 twice", "rail 200", "rail 200: here"]


def test_a_port_needs_a_line_rate_of_its_own_or_of_all() -> None:
    port = {"rail": 0, "address": "10.0.0.1"}
    assert found(ports=[port]) == [("acceptance_ports", "rail 0 has no line rate", "error")]
    assert found(ports=[{**port, "gbps": 200}]) == found(ports=[port], line_rate_gbps=200) == []


def test_packages_become_desired_state_and_an_absent_role_asks_for_none() -> None:
    spec = acceptance.desired(make_values(), (), "vm")["package"]
    assert [row["name"] for row in spec["packages"]] == ["perftest", "iperf3"]
    assert acceptance.desired(make_values(state="absent"), (), "vm")["package"]["packages"] == []
    assert acceptance.needs(make_values()) == []

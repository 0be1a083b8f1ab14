"""The roce role's variables: numbers that cannot be right, ports that are not selected once by what cannot move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.roce import Port, parse
from raceway.roles import roce

DEFAULTS = yaml.safe_load((Path(__file__).parents[3] / "roles/roce/defaults/main.yml").read_text())
PORT = {"pci": "0000:3B:00.0", "rail": 0}


def make_values(**given: Any) -> dict[str, Any]:
    return {**DEFAULTS, "roce_ports": [PORT], **given}


def test_the_defaults_are_without_a_problem() -> None:
    assert roce.rules(DEFAULTS) == [] and roce.rules(make_values()) == []


@pytest.mark.parametrize(
    ("given", "variable", "found"),
    [
        ({"roce_dscp": 106}, "roce_dscp", "106"),
        ({"roce_priority": 6}, "roce_cnp_priority", "6"),
        ({"roce_ports": [{"rail": 0}]}, "roce_ports", "0 of them"),
        ({"roce_ports": [{**PORT, "mac": "b8:3f:d2:00:00:01"}]}, "roce_ports", "2 of them"),
        ({"roce_ports": [{"pci": "ens1f0"}]}, "roce_ports", "pci: ens1f0"),
        ({"roce_ports": [{"guid": "b83fd20300000001"}]}, "roce_ports", "guid: b83fd20300000001"),
        ({"roce_ports": [PORT, {"pci": "0000:3b:00.0", "rail": 1}]}, "roce_ports", "pci: 0000:3b:00.0 twice"),
        ({"roce_ports": [PORT, {"pci": "0000:5e:00.0", "rail": 0}]}, "roce_ports", "rail 0 twice"),
    ],
    ids=["ToS byte", "one priority", "no selector", "two", "a name", "guid shape", "port twice", "rail twice"],
)
def test_what_cannot_be_right_is_named(given: dict[str, Any], variable: str, found: str) -> None:
    (problem,) = roce.rules(make_values(**given))
    assert (problem.variable, problem.found) == (variable, found) and problem.allowed and problem.act


def test_the_node_is_given_ports_and_numbers_and_the_tools_that_set_them() -> None:
    state = roce.desired(make_values(roce_share=70), (), "bare_metal")
    made = parse(state["roce"])
    assert made.ports == (Port("pci", "0000:3b:00.0"),) and made.qos.share == 70 and made.persist
    assert [row["name"] for row in state["package"]["packages"]] == ["ethtool", "iproute2"]


def test_an_absent_role_declares_no_port_and_no_package() -> None:
    state = roce.desired(make_values(roce_state="absent"), (), "vm")
    assert parse(state["roce"]).ports == () and state["package"]["packages"] == []

"""The roce role's variables: numbers that cannot be right, ports that are not selected once by what cannot move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.roce import Port, parse
from raceway.model.roce_watch import parse as parse_watch
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
        ({"roce_dscp": 107}, "roce_dscp", "107"),
        ({"roce_ect": "ce"}, "roce_ect", "ce"),
        ({"roce_lossless": [6]}, "roce_lossless", "6"),
        ({"roce_watch_s": 61}, "roce_watch_s", "61"),
        ({"roce_priority": 6}, "roce_cnp_priority", "6"),
        ({"roce_ports": [{"rail": 0}]}, "roce_ports", "rail 0: none of them"),
        ({"roce_ports": [{**PORT, "mac": "b8:3f:d2:00:00:01"}]}, "roce_ports", "rail 0: pci and mac"),
        ({"roce_ports": [{"pci": "ens1f0"}]}, "roce_ports", "rail 0: pci ens1f0"),
        ({"roce_ports": [{"guid": "b83fd20300000001"}]}, "roce_ports", "rail 0: guid b83fd20300000001"),
        ({"roce_ports": [PORT, {"pci": "0000:3b:00.0", "rail": 1}]}, "roce_ports", "selector 0000:3b:00.0 twice"),
        ({"roce_ports": [PORT, {"pci": "0000:5e:00.0", "rail": 0}]}, "roce_ports", "rail 0 twice"),
    ],
    ids=[
        "ToS byte",
        "ECN 11 by byte",
        "ECN 11",
        "CNP paused",
        "too long",
        "one priority",
        "no selector",
        "two",
        "a name",
        "guid shape",
        "port twice",
        "rail twice",
    ],
)
def test_what_cannot_be_right_is_named(given: dict[str, Any], variable: str, found: str) -> None:
    (problem,) = roce.rules(make_values(**given))
    assert (problem.variable, problem.found) == (variable, found) and problem.allowed and problem.act


def test_a_tos_byte_whose_ecn_bits_are_11_is_refused_with_what_they_would_do() -> None:
    (problem,) = roce.rules(make_values(roce_dscp=107))
    assert "DSCP 26" in problem.act and "Congestion Experienced" in problem.act


def test_the_node_is_given_ports_and_numbers_and_the_tools_that_set_them() -> None:
    state = roce.desired(make_values(roce_share=70), (), "bare_metal")
    made = parse(state["roce"])
    assert made.ports == (Port("pci", "0000:3b:00.0"),) and made.qos.share == 70 and made.persist
    assert [row["name"] for row in state["package"]["packages"]] == ["ethtool", "iproute2"]


def test_an_absent_role_declares_no_port_and_no_package() -> None:
    state = roce.desired(make_values(roce_state="absent"), (), "vm")
    assert parse(state["roce"]).ports == () and state["package"]["packages"] == []
    assert parse_watch(state["roce_watch"]).ports == ()


def test_the_node_knows_whether_links_may_be_set_up_anew_and_how_long_to_watch() -> None:
    state = roce.desired(make_values(roce_allow_disruptive=True, roce_buffer="headroom", roce_watch_s=5), (), "vm")
    assert parse(state["roce"]).consent and parse(state["roce"]).buffer == "headroom"
    assert parse_watch(state["roce_watch"]).seconds == 5
    assert not parse(roce.desired(make_values(), (), "vm")["roce"]).consent

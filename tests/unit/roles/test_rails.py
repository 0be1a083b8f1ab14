"""The rails role's variables: selectors, what the node is given, what an absent role declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.rails import Port, parse
from raceway.roles import rails

DEFAULTS = yaml.safe_load((Path(__file__).parents[3] / "roles/rails/defaults/main.yml").read_text())
NONE: dict[str, Any] = {"addresses": [], "gateways": [], "routes": []}
PORT = {**NONE, "rail": 0, "pci": "0000:3B:00.0", "addresses": ["10.1.0.11/24"]}
BOND = {
    **NONE,
    "rail": 1,
    "name": "pair0",
    "members": [{"pci": "0000:5e:00.0"}, {"pci": "0000:5e:00.1"}],
    "mode": "active-backup",
    "hash_policy": "layer3+4",
    "miimon_ms": 100,
    "lacp_rate": "fast",
    "roce_lag": True,
    "addresses": ["10.2.0.11/24"],
}


def make_values(**given: Any) -> dict[str, Any]:
    return {**DEFAULTS, "rails_ports": [PORT], "rails_bonds": [BOND], **given}


def test_the_defaults_are_without_a_problem() -> None:
    assert rails.rules(DEFAULTS) == [] and rails.rules(make_values()) == []


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"rails_ports": [{**PORT, "pci": ""}]}, "0 of them"),
        ({"rails_ports": [{**PORT, "mac": "b8:3f:d2:00:00:01"}]}, "2 of them"),
        ({"rails_ports": [{**PORT, "pci": "ens1f0"}]}, "pci: ens1f0"),
        (
            {"rails_bonds": [{**BOND, "members": [{"pci": "0000:3b:00.0"}, {"pci": "0000:3b:00.1"}]}]},
            "pci: 0000:3b:00.0 twice",
        ),
    ],
    ids=["no selector", "two", "a name", "a port that is a rail and a member"],
)
def test_a_port_is_selected_once_by_one_thing_of_the_right_shape(given: dict[str, Any], found: str) -> None:
    (problem,) = rails.rules(make_values(**given))
    assert problem.found == found and problem.allowed and problem.act


def test_the_node_is_given_rails_by_number_and_a_bond_has_the_mtu_of_the_fabric() -> None:
    values = {**make_values(rails_rp_filter="strict"), "roce_ports": [{"pci": "0000:5e:00.0"}], "roce_mtu": 4200}
    state = rails.desired(values, (), "bare_metal")
    made = parse(state["rails"])
    assert [rail.label for rail in made.rails] == ["pci 0000:3b:00.0", "bond pair0"]
    assert made.rails[0].members == (Port("pci", "0000:3b:00.0"),)
    assert made.sysctls == {"arp_ignore": 1, "arp_announce": 2, "arp_filter": 0, "rp_filter": 1}
    assert made.rails[1].bond is not None and made.rails[1].bond.mtu == 4200
    assert [row["name"] for row in state["package"]["packages"]] == ["iproute2"]


def test_without_roce_ports_a_bond_keeps_the_mtu_it_has() -> None:
    (_, bond) = parse(rails.desired({**make_values(), "roce_ports": [], "roce_mtu": 9000}, (), "vm")["rails"]).rails
    assert bond.bond is not None and bond.bond.mtu == 0


def test_an_absent_role_declares_nothing_and_breaks_no_rule() -> None:
    values = make_values(rails_state="absent", rails_ports=[{**PORT, "pci": "x"}])
    state = rails.desired(values, (), "vm")
    assert parse(state["rails"]).rails == () and state["package"]["packages"] == [] and rails.rules(values) == []


def test_a_bond_asks_for_its_module_without_the_bond_nobody_declared() -> None:
    (need,) = rails.needs(make_values())
    assert (need.key, need.value) == ("bonding", "max_bonds=0") and rails.needs(DEFAULTS) == []

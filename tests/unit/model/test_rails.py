"""The declaration of rails in its JSON form, and the vocabulary of routes."""

from __future__ import annotations

from raceway.model.rails import Bond, Port, Rail, RailsDesired, parse
from raceway.model.route import DEFAULT, V6, Route, Rule, interface, prefix


def test_ports_and_bonds_are_rails_in_the_order_of_their_numbers() -> None:
    bond = {"name": "pair0", "rail": 0, "members": [{"pci": "0000:5E:00.0"}, {"guid": "b83f:d203:0000:0001"}]}
    port = {"rail": 1, "mac": "B8:3F:D2:00:00:01", "addresses": ["10.1.0.11/24"], "gateways": None}
    made = parse({"ports": [port], "bonds": [{**bond, "mode": "", "mtu": 9000}], "table_base": 500})
    members = (Port("pci", "0000:5e:00.0"), Port("guid", "b83f:d203:0000:0001"))
    assert made.rails[0] == Rail(0, members, bond=Bond("pair0", mtu=9000)) and made.rails[0].label == "bond pair0"
    assert made.rails[1] == Rail(1, (Port("mac", "b8:3f:d2:00:00:01"),), ("10.1.0.11/24",))
    assert made.table_base == 500 and made.policy


def test_nothing_declared_is_no_rail() -> None:
    assert parse({}) == RailsDesired()


def test_a_bond_is_told_only_what_its_mode_uses() -> None:
    assert Bond("x", "active-backup").settings() == {"mode": "active-backup", "miimon": "100"}
    assert set(Bond("x", "balance-xor").settings()) == {"mode", "miimon", "xmit_hash_policy"}
    assert set(Bond("x").settings()) == {"mode", "miimon", "xmit_hash_policy", "ad_lacp_rate"}


def test_routes_and_rules_speak_iproute2_s_words() -> None:
    assert Rule(1000, "10.1.0.11/32", 1000).words() == ["from", "10.1.0.11/32", "lookup", "1000", "priority", "1000"]
    assert Route(DEFAULT, 1000, "fd01::1", 5, "fd01::2", V6).words("a") == (
        ["default", "via", "fd01::1", "dev", "a", "proto", "static", "src", "fd01::2", "metric", "5", "table", "1000"]
    )
    assert "scope" in Route("10.1.0.0/24").words("a") and "scope" not in Route("fd01::/64", family=V6).words("a")


def test_addresses_have_one_spelling() -> None:
    assert interface("FD00:0::1/64") == "fd00::1/64" and prefix("fd00::1") == "fd00::1/128" and prefix("x/y") is None

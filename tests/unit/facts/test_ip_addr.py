"""Output of ``ip -j -d addr show``: interfaces, what they are part of, their addresses, a bond's settings."""

from __future__ import annotations

from raceway.facts.ip_addr import Link, parse

from ..builders import CASES


def _read(name: str) -> dict[str, Link]:
    return {one.name: one for one in parse((CASES / "ip_addr" / name).read_text(encoding="utf-8")).links}


def test_a_bond_has_its_settings_and_its_members_name_it() -> None:
    found = _read("normal.json")
    bond = {"mode": "active-backup", "miimon": "100", "xmit_hash_policy": "layer2", "ad_lacp_rate": "slow"}
    assert found["rail0"].bond == bond and found["rail0"].active == "ens1f0np0" and found["rail0"].kind == "bond"
    assert found["rail0"].addresses == ("10.1.0.11/24", "fd01::11/64")
    assert found["ens1f0np0"].master == "rail0" and found["ens1f0np0"].addresses == () and not found["ens1f0np0"].bond


def test_a_pulled_cable_is_no_interface_that_is_down_and_link_local_addresses_are_left_out() -> None:
    port = _read("normal.json")["ens2f0np0"]
    assert (port.up, port.carrier, port.addresses, port.mtu) == (True, False, ("10.2.0.11/24",), 1500)


def test_empty_objects_of_old_versions_are_passed_over() -> None:
    found = _read("older.json")
    assert found["eth0"] == Link("eth0", 2, True, True, "52:54:00:00:00:01", 1500, addresses=("10.0.2.15/24",))


def test_what_was_cut_off_keeps_the_whole_entries_and_says_so() -> None:
    cut = parse((CASES / "ip_addr/truncated.json").read_text(encoding="utf-8"))
    assert [one.name for one in cut.links] == ["lo", "ens1f0np0"] and "cut off" in cut.problem


def test_no_interface_at_all_is_no_answer() -> None:
    assert parse("[]").problem == "there is no interface" and parse("").problem == "printed nothing"

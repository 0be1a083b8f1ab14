"""Setting rails up on a machine that answers as ip and networkd do: set, kept, seen red, mended, given back."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from raceway.apply import rails
from raceway.host import Ledger
from raceway.node.program import run

from ..fake_rails import FakeRails

ONE, TWO = "0000:3b:00.0", "0000:3b:00.1"
RAIL0 = {"rail": 0, "pci": ONE, "addresses": ["10.1.0.11/24"], "gateways": ["10.1.0.1"], "routes": ["10.1.0.0/16"]}
RAIL1 = {"rail": 1, "mac": "b8:3f:d2:00:00:02", "addresses": ["10.2.0.11/24", "fd02::11/64"]}
BOND = {
    "name": "pair0",
    "rail": 0,
    "mode": "active-backup",
    "members": [{"pci": ONE}, {"pci": TWO}],
    "addresses": ["10.1.0.11/24"],
}
SYSCTLS = {"arp_ignore": 1, "arp_announce": 2, "arp_filter": 0, "rp_filter": 2}


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeRails:
    monkeypatch.setattr(rails, "PAUSE_S", 0.0)
    monkeypatch.setattr(rails, "PATIENCE_S", 0.2)
    made = FakeRails(tmp_path)
    made.add("ens1f0np0", ONE, "b8:3f:d2:00:00:01", up=False)
    made.add("ens1f1np1", TWO, "b8:3f:d2:00:00:02", up=False)
    return made


def request(
    mode: str, *ports: Any, bonds: Any = (), allow: Any = ("safe", "disruptive"), **more: Any
) -> dict[str, Any]:
    spec = {"ports": list(ports), "bonds": list(bonds), "sysctls": SYSCTLS, "platform": "vm", **more}
    return {"mode": mode, "explain": True, "roles": {"rails": {"allow": list(allow), "nouns": {"rails": spec}}}}


def refused(answer: dict[str, Any]) -> list[str]:
    """Every reason that was told, at planning or while applying."""
    return [row["reason"] for row in (*answer["roles"]["rails"]["refusals"], *answer["refused"])]


def writes(host: FakeRails) -> list[str]:
    return [line for line in host.calls if " show" not in line and line.startswith(("ip ", "networkctl"))]


def test_two_rails_are_addressed_ruled_and_routed_and_a_second_run_writes_nothing(host: FakeRails) -> None:
    first = run(request("apply", RAIL0, RAIL1), host)
    assert refused(first) == [] and first["remaining"] == []
    assert host.links["ens1f0np0"]["addresses"] == ["10.1.0.11/24"] and host.links["ens1f0np0"]["up"]
    assert host.links["ens1f1np1"]["addresses"] == ["10.2.0.11/24", "fd02::11/64"]
    shown = {(row["src"], row["table"], row["priority"]) for row in host.rules}
    assert shown == {("10.1.0.11", "1000", 1000), ("10.2.0.11", "1001", 1001), ("fd02::11", "1001", 1001)}
    own = {(row["dst"], row.get("gateway")) for row in host.routes if row.get("table") == "1000"}
    assert own == {("10.1.0.0/24", None), ("10.1.0.0/16", "10.1.0.1")}
    main = [row for row in host.routes if row["dev"] == "ens1f0np0" and "table" not in row]
    assert [(row["dst"], row["metric"]) for row in main] == [("10.1.0.0/16", 1000)]
    assert host.read("/proc/sys/net/ipv4/conf/ens1f0np0/arp_announce") == "2\n"
    assert host.read("/proc/sys/net/ipv4/conf/ens1f0np0/ignore_routes_with_linkdown") == "1\n"
    host.calls.clear()
    second = run(request("apply", RAIL0, RAIL1), host)
    assert second["applied"] == [] and writes(host) == []


def test_what_check_mode_predicts_is_what_is_then_done(host: FakeRails) -> None:
    before = copy.deepcopy(host.state())
    planned = run(request("plan", RAIL0, RAIL1), host)["roles"]["rails"]["steps"]
    assert host.state() == before
    applied = run(request("apply", RAIL0, RAIL1), host)["applied"]
    assert [row["what"] for row in applied] == [row["what"] for row in planned] != []


@pytest.mark.parametrize(
    ("foreign", "told"),
    [
        (lambda host: host.run(["ip", "addr", "del", "10.1.0.11/24", "dev", "ens1f0np0"]), "10.1.0.11/24 on ens1f0np0"),
        (lambda host: host.rules.clear(), "rule from 10.1.0.11/32 to table 1000"),
        (lambda host: host.routes.clear(), "route 10.1.0.0/24 in table 1000 by ens1f0np0"),
        (lambda host: host.poke("/proc/sys/net/ipv4/conf/ens1f0np0/arp_ignore", "0\n"), "arp_ignore 1 of ens1f0np0"),
        (lambda host: host.run(["ip", "link", "set", "dev", "ens1f0np0", "down"]), "ens1f0np0 up"),
    ],
    ids=["address", "rule", "route", "setting", "link"],
)
def test_a_foreign_change_is_seen_and_mended_without_reading_files_anew(
    host: FakeRails, foreign: Any, told: str
) -> None:
    run(request("apply", RAIL0), host)
    foreign(host)
    (step,) = run(request("verify", RAIL0), host)["roles"]["rails"]["steps"]
    assert told in step["what"] and step["risk"] == "safe"
    host.calls.clear()
    assert run(request("apply", RAIL0), host)["remaining"] == []
    assert "networkctl reload" not in host.calls
    assert run(request("verify", RAIL0), host)["roles"]["rails"]["steps"] == []


def test_a_rule_that_was_put_back_outlives_the_set_up_of_another_port(host: FakeRails) -> None:
    run(request("apply", RAIL0), host)
    host.rules.clear()
    run(request("apply", RAIL0), host)
    run(request("apply", RAIL0, RAIL1), host)
    assert "10.1.0.11" in [row["src"] for row in host.rules]
    assert run(request("verify", RAIL0, RAIL1), host)["roles"]["rails"]["steps"] == []


def test_a_changed_file_is_drift_even_where_the_kernel_is_right(host: FakeRails) -> None:
    run(request("apply", RAIL0), host)
    path = host.folder / "etc/systemd/network/05-raceway-rail0.network"
    path.write_text(path.read_text().replace("10.1.0.11/24", "10.1.0.99/24"))
    assert run(request("verify", RAIL0), host)["roles"]["rails"]["steps"]
    assert run(request("apply", RAIL0), host)["remaining"] == []
    assert "Address=10.1.0.11/24" in path.read_text()


def test_a_new_address_takes_the_place_of_the_old_one(host: FakeRails) -> None:
    run(request("apply", RAIL0), host)
    host.deaf = True  # what the daemon does not clear away is cleared away all the same
    moved = {**RAIL0, "addresses": ["10.1.0.12/24"]}
    assert run(request("apply", moved), host)["remaining"] == []
    assert host.links["ens1f0np0"]["addresses"] == ["10.1.0.12/24"]
    assert [row["src"] for row in host.rules] == ["10.1.0.12"]


def test_without_consent_a_port_in_use_is_not_touched(host: FakeRails) -> None:
    run(request("apply", RAIL0), host)
    before = copy.deepcopy(host.state())
    answer = run(request("apply", {**RAIL0, "addresses": ["10.1.0.12/24"]}, allow=["safe"]), host)
    assert answer["applied"] == [] and host.state() == before
    acts = {row["act"] for row in answer["roles"]["rails"]["refusals"]}
    assert acts == {"set rails_allow_disruptive: true to consent"}


def test_a_bond_is_made_of_its_members_and_carries_the_address(host: FakeRails) -> None:
    first = run(request("apply", bonds=[{**BOND, "mtu": 9000}]), host)
    assert refused(first) == [] and first["remaining"] == []
    assert [host.links[name]["master"] for name in ("ens1f0np0", "ens1f1np1")] == ["pair0", "pair0"]
    pair = host.links["pair0"]
    assert pair["addresses"] == ["10.1.0.11/24"] and pair["bond"]["mode"] == "active-backup" and pair["mtu"] == 9000
    host.calls.clear()
    assert run(request("apply", bonds=[{**BOND, "mtu": 9000}]), host)["applied"] == [] and writes(host) == []


def test_a_member_that_was_taken_out_joins_again(host: FakeRails) -> None:
    run(request("apply", bonds=[BOND]), host)
    host.run(["ip", "link", "set", "dev", "ens1f1np1", "nomaster"])
    (step,) = run(request("verify", bonds=[BOND]), host)["roles"]["rails"]["steps"]
    assert step["what"] == "set ens1f1np1 in pair0"
    assert run(request("apply", bonds=[BOND]), host)["remaining"] == []


def test_another_mode_makes_the_bond_anew_with_consent(host: FakeRails) -> None:
    run(request("apply", bonds=[BOND]), host)
    other = {**BOND, "mode": "802.3ad"}
    kept = run(request("apply", bonds=[other], allow=["safe"]), host)
    assert kept["applied"] == [] and host.links["pair0"]["bond"]["mode"] == "active-backup"
    assert run(request("apply", bonds=[other]), host)["remaining"] == []
    assert host.links["pair0"]["bond"]["mode"] == "802.3ad" and host.links["ens1f0np0"]["master"] == "pair0"
    assert host.links["pair0"]["addresses"] == ["10.1.0.11/24"]


def test_a_bond_s_timer_is_changed_while_it_works(host: FakeRails) -> None:
    run(request("apply", bonds=[BOND]), host)
    host.calls.clear()
    assert run(request("apply", bonds=[{**BOND, "miimon_ms": 50}]), host)["remaining"] == []
    assert host.links["pair0"]["bond"]["miimon"] == "50" and not [c for c in host.calls if "link del" in c]


def test_what_a_tool_said_is_told_only_where_something_is_lacking_afterwards(host: FakeRails) -> None:
    run(request("apply", RAIL0), host)
    host.run(["ip", "addr", "del", "10.1.0.11/24", "dev", "ens1f0np0"])
    host.failing = {"replace"}
    (row,) = run(request("apply", RAIL0), host)["refused"]
    assert "still lacks 10.1.0.11/24 on ens1f0np0 (ip addr replace" in row["reason"]
    assert "Operation not permitted" in row["reason"]


def test_the_kernel_s_word_counts_and_not_an_exit_status(host: FakeRails) -> None:
    host.deaf, host.ignored = True, {"rule"}
    host.ignored.discard("show")
    answer = run(request("apply", RAIL0), host)
    assert any("what the node has cannot be told" in reason for reason in refused(answer))
    host.ignored = {"add"}
    answer = run(request("apply", RAIL0), host)
    assert any("the node still lacks rule from 10.1.0.11/32 to table 1000" in reason for reason in refused(answer))


@pytest.mark.parametrize("bonds", [(), (BOND,)], ids=["ports", "a bond"])
def test_removal_gives_the_node_back_as_it_was_found(host: FakeRails, bonds: Any) -> None:
    before = copy.deepcopy(host.state())
    ports = () if bonds else (RAIL0, RAIL1)
    run(request("apply", *ports, bonds=bonds), host)
    assert host.state() != before
    answer = run(request("apply"), host)
    assert refused(answer) == [] and answer["remaining"] == []
    assert host.state() == before and Ledger(host).owned("rails") == {}


def test_two_ports_become_a_bond_and_two_ports_again(host: FakeRails) -> None:
    run(request("apply", RAIL0, RAIL1), host)
    host.deaf = True  # even where the daemon leaves the ports' own addresses, they do not stay on members
    assert run(request("apply", bonds=[BOND]), host)["remaining"] == []
    assert host.links["ens1f0np0"]["addresses"] == host.links["ens1f1np1"]["addresses"] == []
    host.deaf = False
    host.run(["networkctl", "reload"])
    assert host.links["pair0"]["addresses"] == ["10.1.0.11/24"] and host.links["ens1f0np0"]["addresses"] == []
    answer = run(request("apply", RAIL0, RAIL1), host)
    assert refused(answer) == [] and answer["remaining"] == []
    assert "pair0" not in host.links and host.links["ens1f0np0"]["addresses"] == ["10.1.0.11/24"]


def test_a_port_that_left_is_forgotten(host: FakeRails) -> None:
    Ledger(host).remember("rails", "pci 0000:99:00.0", {"up": True, "sysctls": {}})
    assert [row["type"] for row in run(request("apply"), host)["applied"]] == ["rails_forget"]
    assert Ledger(host).owned("rails") == {}


def test_the_port_of_the_ssh_connection_is_refused_and_the_other_rail_goes_on(host: FakeRails) -> None:
    host.links["ens1f0np0"].update(up=True, addresses=["192.0.2.5/24"])
    host.ssh = "0 0 192.0.2.5:22 192.0.2.9:51234\n"
    answer = run(request("apply", RAIL0, RAIL1), host)
    assert any("ens1f0np0 carries the ssh connection from 192.0.2.9" in reason for reason in refused(answer))
    assert host.links["ens1f0np0"]["addresses"] == ["192.0.2.5/24"]
    assert host.links["ens1f1np1"]["addresses"] == ["10.2.0.11/24", "fd02::11/64"]

"""What must not break: routes, sessions, and everything below the interfaces that carry them."""

from __future__ import annotations

from raceway.facts.rdma_carrier import addresses, carriers, ssh_ports, ssh_sessions

ADDRESSES = """[{"ifname":"lo","addr_info":[{"local":"127.0.0.1"}]},
{"ifname":"bond0","addr_info":[{"family":"inet","local":"10.0.0.11"},{"family":"inet6","local":"2001:db8::11"}]}]"""


def test_sessions_are_those_of_the_ports_that_sshd_listens_on() -> None:
    text = (
        "0 0 10.0.0.11:2222 10.0.0.9:51234\n0 36 [2001:db8::11]:2222 [2001:db8::9]:40000\n0 0 10.0.0.11:22 10.0.0.8:1\n"
    )
    ports = ssh_ports("# Port 22\n  Port 2222\n")
    assert ssh_sessions(text, ports) == (("10.0.0.11", "10.0.0.9"), ("2001:db8::11", "2001:db8::9"))


def test_a_mapped_address_and_a_scope_are_the_address_itself() -> None:
    text = "0 0 [::ffff:10.0.0.11]:22 [::ffff:10.0.0.9]:51234\n0 0 [fe80::1%bond0]:22 [fe80::2%bond0]:9\n"
    assert ssh_sessions(text, {"22"}) == (("10.0.0.11", "10.0.0.9"), ("fe80::1", "fe80::2"))


def test_an_error_text_and_an_empty_one_are_no_sessions_and_no_addresses() -> None:
    assert ssh_sessions("ss: not found\n", {"22"}) == () == ssh_sessions("", {"22"})
    assert addresses("") == {} == addresses("Object is remote\n")
    assert addresses(ADDRESSES[:40]) == {}


def test_a_port_below_a_vlan_on_a_bond_carries_both_ways_in() -> None:
    below = {"bond0.12": ("bond0",), "bond0": ("eth0", "eth1"), "eth0": (), "eth1": ()}
    of_address = addresses(ADDRESSES)
    found = carriers(["bond0.12"], [("10.0.0.11", "10.0.0.9"), ("192.0.2.1", "10.0.0.7")], of_address, below)
    assert found["eth1"] == (
        "the default route (through bond0.12)",
        "the ssh connection from 10.0.0.9 (through bond0)",
    )
    assert found["bond0"][1] == "the ssh connection from 10.0.0.9" and "lo" not in found


def test_interfaces_that_lie_below_each_other_end() -> None:
    assert set(carriers(["a"], [], {}, {"a": ("b",), "b": ("a",)})) == {"a", "b"}

"""The files of a rail, by systemd.network(5) and systemd.netdev(5); what they declare can be read out of them again."""

from __future__ import annotations

import dataclasses

from raceway.facts.ip_addr import Link
from raceway.facts.rails import Hardware, RailsFacts
from raceway.model.rails import Bond, Port, Rail, RailsDesired
from raceway.plan.rails_files import bonds_in, declared_in, files, is_ours
from raceway.plan.rails_goal import goal

ONE, TWO = Port("pci", "0000:3b:00.0"), Port("pci", "0000:3b:00.1")
FACTS = RailsFacts(
    ports={ONE.label: "ens1f0np0", TWO.label: "ens1f1np1", "mac 02:00:00:00:00:01": "veth.7"},
    links={"veth.7": Link("veth.7", mac="02:00:00:00:00:01")},
    hardware={"ens1f0np0": Hardware("0000:3b:00.0"), "ens1f1np1": Hardware("0000:3b:00.1"), "veth.7": Hardware()},
)
ROUTED = Rail(3, (ONE,), ("10.1.0.11/31", "fd01::b/127"), ("10.1.0.10", "fd01::a"), ("10.1.0.0/16",))
DESIRED = RailsDesired(sysctls={"arp_ignore": 1})
NETWORK = "/etc/systemd/network/05-raceway-rail3.network"


def test_a_routed_rail_has_its_rules_and_routes_in_its_own_table_and_its_prefixes_in_the_main_one() -> None:
    text = files(ROUTED, DESIRED, FACTS)[NETWORK]
    assert "[RoutingPolicyRule]\nFrom=10.1.0.11/32\nTable=1003\nPriority=1003\n" in text
    onlink = "[Route]\nDestination=10.1.0.10/31\nScope=link\nPreferredSource=10.1.0.11\nMetric=1003\nTable=1003\n"
    assert onlink in text
    behind = "Destination=10.1.0.0/16\nGateway=10.1.0.10\nPreferredSource=10.1.0.11\nMetric=1003\nTable="
    assert f"{behind}254\n" in text and f"{behind}1003\n" in text
    # Without a prefix of its family the gateway leads everywhere, for the rail's own packets alone.
    assert "Destination=::/0\nGateway=fd01::a\nMetric=1003\nTable=1003\n" in text
    assert "Destination=0.0.0.0/0" not in text and "ConfigureWithoutCarrier=yes\n" in text


def test_what_files_declare_is_read_out_of_them_as_it_was_meant() -> None:
    texts = files(ROUTED, DESIRED, FACTS)
    found, meant = declared_in(texts.values()), goal(ROUTED, DESIRED)
    assert (found.addresses, found.rules, found.routes) == (meant.addresses, meant.rules, meant.routes)


def test_a_bond_has_a_device_a_network_and_a_file_a_member_and_says_what_its_mode_uses() -> None:
    bond = Bond("pair0", "802.3ad", "layer2+3", 50, "slow", mtu=9000)
    rail = Rail(0, (ONE, TWO), ("10.1.0.11/24",), bond=bond)
    texts = files(rail, DESIRED, FACTS)
    base = "/etc/systemd/network/05-raceway-rail0"
    made = texts[f"{base}.netdev"]
    assert "Name=pair0\nKind=bond\nMTUBytes=9000\n\n[Bond]\nMode=802.3ad\nMIIMonitorSec=50ms\n" in made
    assert "TransmitHashPolicy=layer2+3\nLACPTransmitRate=slow\n" in made
    assert "[Match]\nName=pair0\nKind=bond\n" in texts[f"{base}.network"]
    assert "[Match]\nPath=*pci-0000:3b:00.1\n" in texts[f"{base}-member1.network"]
    assert "Bond=pair0\n" in texts[f"{base}-member1.network"] and bonds_in(texts.values()) == ["pair0"]
    backup = files(dataclasses.replace(rail, bond=Bond("pair0", "active-backup")), DESIRED, FACTS)[f"{base}.netdev"]
    assert "Hash" not in backup and "LACP" not in backup and "MTUBytes" not in backup


def test_a_port_without_hardware_is_matched_by_its_address_and_a_dot_of_its_name_stays() -> None:
    texts = files(Rail(3, (Port("mac", "02:00:00:00:00:01"),), ("10.1.0.11/24",)), DESIRED, FACTS)
    assert "MACAddress=02:00:00:00:00:01\n" in texts[NETWORK]
    assert "net/ipv4/conf/veth.7/arp_ignore = 1\n" in texts["/etc/sysctl.d/91-raceway-rail3.conf"]


def test_without_policy_routing_there_is_no_rule_and_no_table() -> None:
    text = files(ROUTED, RailsDesired(policy=False), FACTS)[NETWORK]
    assert "RoutingPolicyRule" not in text and "Table=1003" not in text and "Table=254\n" in text
    assert files(ROUTED, RailsDesired(policy=False), FACTS)["/etc/sysctl.d/91-raceway-rail3.conf"] != ""


def test_other_files_are_not_ours() -> None:
    paths = ("/etc/systemd/network/05-raceway-railway.network", "/etc/sysctl.d/90-raceway.conf")
    assert not any(is_ours(path) for path in paths)

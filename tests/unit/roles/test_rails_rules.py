"""Rules over the rails of one host: for each a declaration that breaks it, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.roles.rails_rules import problems

from .test_rails import BOND, NONE, make_values


def port(rail: int = 0, *addresses: str, **more: Any) -> dict[str, Any]:
    return {**NONE, "rail": rail, "pci": f"0000:{rail:02x}:00.0", "addresses": list(addresses), **more}


def found(*ports: dict[str, Any], bonds: tuple[dict[str, Any], ...] = (), **given: Any) -> list[str]:
    rows = problems(make_values(rails_ports=list(ports), rails_bonds=list(bonds), **given))
    assert all(row.allowed and row.act for row in rows)
    return [row.found for row in rows]


@pytest.mark.parametrize(
    ("ports", "told"),
    [
        ([port(0, "10.1.0.11")], "rail 0: 10.1.0.11"),
        ([port(0, "10.1.0.300/24")], "rail 0: 10.1.0.300/24"),
        ([port(0, "10.1.0.0/24")], "rail 0: 10.1.0.0/24 is the subnet itself"),
        ([port(0, "10.1.0.255/24")], "rail 0: 10.1.0.255/24 is its broadcast address"),
        ([port(0, "fe80::1/64")], "rail 0: fe80::1/64 is loopback, multicast, link-local or no address"),
        ([port(0, "10.1.0.11/24", gateways=["10.2.0.1"])], "rail 0: gateway 10.2.0.1 is in no subnet of 10.1.0.11/24"),
        ([port(0, "10.1.0.11/24", gateways=["fd01::1"])], "rail 0: gateway fd01::1 is in no subnet of 10.1.0.11/24"),
        ([port(0, "10.1.0.11/24", gateways=["10.1.0.11"])], "rail 0: gateway 10.1.0.11 is the rail itself"),
        ([port(0, "10.1.0.11/24", gateways=["10.1.0.1/24"])], "rail 0: gateway 10.1.0.1/24"),
        (
            [port(0, "10.1.0.11/24", gateways=["10.1.0.1", "10.1.0.2"])],
            "rail 0: two gateways of IPv4",
        ),
        ([port(0, "10.1.0.11/24", routes=["10.0.0.0/8"])], "rail 0: route 10.0.0.0/8 and no gateway of IPv4"),
        (
            [port(0, "10.1.0.11/24", gateways=["10.1.0.1"], routes=["fd00::/8"])],
            "rail 0: route fd00::/8 and no gateway of IPv6",
        ),
        (
            [port(0, "10.1.0.11/24", gateways=["10.1.0.1"], routes=["0.0.0.0/0"])],
            "rail 0: route 0.0.0.0/0 is the node's default route",
        ),
        ([port(0, "10.1.0.11/24", gateways=["10.1.0.1"], routes=["here"])], "rail 0: route here"),
        ([port(3, "10.1.0.11/24"), port(3, "10.2.0.11/24")], "rail 3 twice"),
        ([port(0, "10.1.0.11/24"), port(1, "10.1.0.11/16")], "10.1.0.11 on rail 0 and rail 1"),
    ],
)
def test_an_address_gateway_or_route_that_cannot_be_meant_is_named(ports: list[dict[str, Any]], told: str) -> None:
    assert told in found(*ports)


def test_point_to_point_subnets_have_no_broadcast_address() -> None:
    assert found(port(0, "10.1.0.10/31", gateways=["10.1.0.11"], routes=["10.1.0.0/16"]), port(1, "fd01::/127")) == []


def test_two_rails_in_one_subnet_need_the_arp_rules_and_a_table_each() -> None:
    two = (port(0, "10.1.0.11/24"), port(1, "10.1.0.12/24"))
    assert found(*two) == []
    for name, value in (("rails_arp_ignore", 0), ("rails_arp_announce", 1)):
        (told,) = found(*two, bonds=(), **{name: value})
        assert told == "rail 0 and rail 1 are in one subnet (10.1.0.0/24), and any port answers ARP for all of them"
    (told,) = found(*two, rails_policy_routing=False)
    assert told.endswith("and all leave by the first of them")
    six = (port(0, "fd01::11/64"), port(1, "fd01::12/64"))
    assert found(*six, rails_arp_ignore=0) == [], "IPv6 has no ARP"


@pytest.mark.parametrize(("base", "rail"), [(0, 0), (253, 0), (250, 5), (32766, 0), (-1, 0)])
def test_the_kernel_s_own_tables_are_no_rail_s(base: int, rail: int) -> None:
    (told,) = found(port(rail, "10.1.0.11/24"), rails_table_base=base)
    assert told == f"{base}: table {base + rail} for a rail"
    assert found(port(rail, "10.1.0.11/24"), rails_table_base=base, rails_policy_routing=False) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"members": BOND["members"][:1]}, "pair0: 1 member"),
        ({"members": [{"pci": "0000:5e:00.0"}, {"pci": "0000:af:00.0"}]}, "pair0: members of 2 cards"),
        ({"members": [*BOND["members"], {"pci": "0000:5e:00.2"}]}, "pair0: 3 members"),
        ({"miimon_ms": 0}, "pair0: miimon_ms 0"),
        ({"name": "a-name-that-is-too-long"}, "name 'a-name-that-is-too-long'"),
        ({"name": "all"}, "name 'all'"),
    ],
    ids=["one member", "two cards", "three members", "never looked at", "long name", "the kernel's word"],
)
def test_a_bond_that_cannot_work_is_named(changed: dict[str, Any], told: str) -> None:
    (text,) = found(bonds=({**BOND, **changed},))
    assert text.startswith(told)


def test_a_bond_without_rdma_may_have_members_of_several_cards() -> None:
    members = [{"pci": "0000:5e:00.0"}, {"pci": "0000:af:00.0"}, {"pci": "0000:c1:00.0"}]
    assert found(bonds=({**BOND, "members": members, "roce_lag": False},)) == []


def test_one_name_is_one_bond() -> None:
    other = {**BOND, "rail": 2, "addresses": ["10.3.0.11/24"]}
    assert found(bonds=(BOND, other)) == ["pair0 twice"]

"""Output of rdma link show, as JSON and as text: the forms are those of iproute2 4.17 to 7, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_link import RdmaLinkFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> RdmaLinkFacts:
    return parse((CASES / "rdma_link" / name).read_text(encoding="utf-8"))


def test_ports_come_in_natural_order_with_their_own_index_and_that_of_the_interface() -> None:
    facts = read("mixed.json")
    assert [link.name for link in facts.links] == ["mlx5_2/1", "mlx5_3/1", "mlx5_3/2", "mlx5_10/1"]
    roce, down, infiniband = facts.links[0], facts.links[1], facts.links[3]
    assert (roce.link_layer, roce.netdev, roce.index, roce.netdev_index, roce.up) == (
        "Ethernet",
        "ens1f0np0",
        2,
        7,
        True,
    )
    assert (infiniband.link_layer, infiniband.lid, infiniband.sm_lid, infiniband.up) == (
        "InfiniBand",
        13399,
        49151,
        True,
    )
    assert (down.state, down.physical_state, down.up) == ("DOWN", "DISABLED", False)
    assert not facts.problem


def test_text_and_json_say_the_same_of_the_same_port() -> None:
    text, data = read("mixed.txt"), read("mixed.json")
    assert not text.problem and [link.name for link in text.links] == ["mlx5_2/1", "mlx5_10/1"]
    for link in text.links:
        other = next(one for one in data.links if one.name == link.name)
        assert (link.state, link.physical_state, link.netdev, link.netdev_index, link.lid, link.sm_lid) == (
            (other.state, other.physical_state, other.netdev, other.netdev_index, other.lid, other.sm_lid)
        )


@pytest.mark.parametrize("name", ["old.txt", "old_nested.json"])
def test_the_names_of_old_iproute2_carry_the_port(name: str) -> None:
    facts = read(name)
    assert [(link.device, link.port) for link in facts.links] == [("mlx4_0", 1), ("mlx4_0", 2)]
    assert (facts.links[0].netdev, facts.links[0].up, facts.links[1].up) == ("eth2", True, False)
    assert not facts.problem


@pytest.mark.parametrize("name", ["truncated.json", "truncated.txt"])
def test_what_stands_before_a_cut_is_kept_and_the_cut_is_told(name: str) -> None:
    facts = read(name)
    assert facts.links[0].name == "mlx5_0/1" and facts.links[0].up
    assert not any(link.up for link in facts.links[1:]) and "cut off" in facts.problem


def test_an_empty_list_is_no_port_and_an_empty_output_is_no_answer() -> None:
    assert parse("[]\n") == RdmaLinkFacts()
    assert parse("") == RdmaLinkFacts((), SILENT)


def test_an_error_with_exit_status_0_is_a_problem_and_not_an_absence_of_ports() -> None:
    facts = read("socket_and_exit_0.txt")
    assert facts.links == () and "Failed to open NETLINK_RDMA socket" in facts.problem


def test_a_state_that_is_not_known_is_no_good_state() -> None:
    facts = parse('[{"ifname":"x0","port":1,"state":"UNKNOWN","physical_state":"LINK_UP"}, {"port": 1}]')
    assert not facts.links[0].up and facts.links[0].state == "UNKNOWN"
    assert "x0/1: state" in facts.problem and "without device and port" in facts.problem


def test_a_line_between_the_rows_is_told() -> None:
    text = "link a0/1 state ACTIVE physical_state LINK_UP netdev e0\nerror: Operation not permitted\n"
    assert len(parse(text).links) == 1 and "Operation not permitted" in parse(text).problem

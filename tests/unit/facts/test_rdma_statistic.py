"""Output of rdma statistic show, as JSON and as text: the forms are those of iproute2, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_statistic import RdmaStatisticFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> RdmaStatisticFacts:
    return parse((CASES / "rdma_statistic" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["two_ports.json", "two_ports.txt"])
def test_counters_come_by_port_and_one_that_a_port_does_not_have_is_none_and_not_zero(name: str) -> None:
    facts = read(name)
    assert [port.name for port in facts.ports] == ["mlx5_2/1", "mlx5_10/1"] and not facts.problem
    lacking, whole = facts.ports
    assert lacking.values["symbol_error"] is None and lacking.absent == ("symbol_error",)
    assert lacking.values["rx_write_requests"] == 0
    assert whole.values["np_cnp_sent"] == 123456789012 and whole.absent == ()


def test_queue_pairs_of_a_bound_counter_are_no_counter() -> None:
    assert "lqpn" not in read("two_ports.json").ports[0].values


def test_one_counter_a_line_is_read_too() -> None:
    facts = read("pretty.txt")
    assert facts.ports[0].values == {"rx_write_requests": 12, "out_of_sequence": 3, "symbol_error": None}
    assert not facts.problem


@pytest.mark.parametrize("name", ["truncated.json", "truncated.txt"])
def test_what_stands_before_a_cut_is_kept_and_the_cut_is_told(name: str) -> None:
    facts = read(name)
    assert facts.ports[0].values == {"rx_write_requests": 12, "out_of_sequence": 3} and "cut off" in facts.problem


def test_an_empty_list_is_no_port_and_an_empty_output_is_no_answer() -> None:
    assert parse("[]") == RdmaStatisticFacts()
    assert parse(" ") == RdmaStatisticFacts((), SILENT)


def test_an_error_with_exit_status_0_is_a_problem() -> None:
    facts = parse("Failed to open NETLINK_RDMA socket\n")
    assert facts.ports == () and "NETLINK_RDMA" in facts.problem


def test_a_port_without_any_counter_is_told() -> None:
    assert "rxe0/1: no counter" in parse("link rxe0/1 \n").problem
    assert "rxe0/1: no counter" in parse('[{"ifname":"rxe0","port":1}]').problem
    assert "without device and port" in parse('[{"ifname":"rxe0"}]').problem


def test_a_line_between_the_rows_is_told() -> None:
    facts = parse("link a0/1 x 1\nerror: Invalid argument\n")
    assert facts.ports[0].values == {"x": 1} and "Invalid argument" in facts.problem

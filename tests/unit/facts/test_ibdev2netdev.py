"""Output of ibdev2netdev: the forms are those of the script in mlnx-tools, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.ibdev2netdev import Ibdev2netdevFacts, PortState, faults, parse
from raceway.facts.reading import SILENT

from ..builders import CASES

ETHERNET = {f"mlx5_{n}/1" for n in (4, 5, 6, 7)}


def read(name: str) -> Ibdev2netdevFacts:
    return parse((CASES / "ibdev2netdev" / name).read_text(encoding="utf-8"))


def states(facts: Ibdev2netdevFacts) -> dict[str, PortState]:
    return {row.name: PortState("Ethernet" if row.name in ETHERNET else "InfiniBand", "ACTIVE") for row in facts.rows}


@pytest.mark.parametrize("name", ["twelve_rows.txt", "twelve_rows_aligned.txt"])
def test_case_b02_twelve_rows_are_read_for_any_run_of_blanks_in_natural_order(name: str) -> None:
    facts = read(name)
    assert [row.device for row in facts.rows] == [f"mlx5_{n}" for n in range(12)]
    assert [row.netdev_state for row in facts.rows].count("Down") == 10 and not facts.problem
    assert {row.port_state for row in facts.rows} == {""}  # the state of the interface is not the state of the port


def test_case_b02_infiniband_ports_with_a_sleeping_interface_are_healthy() -> None:
    facts = read("twelve_rows.txt")
    fabric = {row.name for row in facts.rows} - ETHERNET
    assert len(fabric) == 8 and faults(facts.rows, states(facts), fabric) == ()


def test_case_b02_an_ethernet_port_that_is_down_fails_only_where_it_is_declared_a_fabric_port() -> None:
    facts = read("twelve_rows.txt")
    found = faults(facts.rows, states(facts), {row.name for row in facts.rows} - {"mlx5_7/1"})
    assert found == ("mlx5_6/1: ens21f0np0 is Down, expected Up",)


def test_a_fabric_port_that_is_not_listed_or_of_unknown_state_or_not_active_fails() -> None:
    rows = read("twelve_rows.txt").rows
    ports = {"mlx5_1/1": PortState("InfiniBand", "INIT")}
    found = faults(rows, ports, {"mlx5_99/1", "mlx5_1/1", "mlx5_0/1"})
    assert [text.split(":")[0] for text in found] == ["mlx5_0/1", "mlx5_1/1", "mlx5_99/1"]
    assert "unknown" in found[0] and "INIT, expected ACTIVE" in found[1] and "does not list it" in found[2]


def test_verbose_rows_carry_port_state_address_and_firmware() -> None:
    first, second, third = read("verbose.txt").rows
    assert (first.port_state, first.netdev_state) == ("ACTIVE", "Down")
    assert (first.pci, first.firmware, first.netdev) == ("0000:5e:00.0", "28.39.1002", "ibp94s0")
    assert (second.port_state, third.port_state, third.netdev_state) == ("DOWN", "NA", "")


def test_a_row_that_is_cut_off_is_told_beside_the_whole_ones() -> None:
    facts = read("truncated.txt")
    assert len(facts.rows) == 1 and "mlx5_1 port 1 ==> ens20f0np0 (U" in facts.problem


def test_silence_is_a_problem_because_the_script_says_nothing_on_failure_too() -> None:
    assert parse("\n") == Ibdev2netdevFacts((), SILENT)


def test_an_error_with_exit_status_0_is_no_empty_list() -> None:
    facts = parse("/usr/bin/ibdev2netdev: línea 40: ls: orden no encontrada\n")
    assert facts.rows == () and "orden no encontrada" in facts.problem


def test_the_arrows_of_old_kernels_carry_no_state() -> None:
    facts = read("old_arrows.txt")
    assert [(row.name, row.netdev, row.netdev_state) for row in facts.rows] == [
        ("mlx4_0/1", "ib0", ""),
        ("mlx4_0/2", "ib1", ""),
    ]
    assert not facts.problem

"""Output of show_gids: the form is that of the script in mlnx-tools, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.gid import best
from raceway.facts.reading import SILENT
from raceway.facts.show_gids import ShowGidsFacts, parse

from ..builders import CASES


def read(name: str) -> ShowGidsFacts:
    return parse((CASES / "show_gids" / name).read_text(encoding="utf-8"))


def test_rows_come_by_port_in_natural_order_and_the_best_can_be_chosen() -> None:
    facts = read("roce_and_ib.txt")
    infiniband, roce = facts.ports
    assert (infiniband.name, roce.name) == ("mlx5_2/1", "mlx5_10/1") and not facts.problem
    assert [(gid.index, gid.kind) for gid in roce.gids] == [(0, "v1"), (1, "v2"), (2, "v1"), (3, "v2")]
    chosen = best(roce.gids)
    assert chosen and (chosen.index, chosen.ipv4, chosen.netdev) == (3, "192.168.2.1", "ens2f0np0")
    assert [(gid.kind, gid.netdev) for gid in infiniband.gids] == [("", "")]


def test_a_table_without_its_last_line_is_cut_off() -> None:
    facts = read("truncated.txt")
    assert sum(len(port.gids) for port in facts.ports) == 5 and "n_gids_found is missing" in facts.problem


def test_a_count_that_differs_from_the_rows_is_told() -> None:
    text = (CASES / "show_gids" / "roce_and_ib.txt").read_text(encoding="utf-8")
    assert "6 GIDs announced, 5 rows read" in parse(text.replace("=5", "=6")).problem
    assert "not understood: mlx5_0 1" in parse(f"mlx5_0\t1\n{text}").problem


@pytest.mark.parametrize("row", ["a0\t1\t3\t0000:0000:0000:0000:0000:ffff:c0a8:02", "a0\t1\t3\tfe80:\t", "a0\t1\t3"])
def test_a_row_that_is_cut_off_is_not_taken_for_another_address(row: str) -> None:
    facts = parse(f"DEV\tPORT\tINDEX\tGID\n{row}")
    assert facts.ports == () and "cut off" in facts.problem


def test_a_cut_ipv4_cell_is_not_taken_for_an_interface() -> None:
    facts = parse("a0\t1\t3\t0000:0000:0000:0000:0000:ffff:c0a8:0201\t192.168.2")
    assert facts.ports == () and facts.problem


def test_no_gid_at_all_is_an_answer_and_silence_is_none() -> None:
    assert read("none.txt") == ShowGidsFacts()
    assert parse("") == ShowGidsFacts((), SILENT)


def test_an_error_with_exit_status_0_is_no_empty_table() -> None:
    facts = read("no_sysfs_and_exit_0.txt")
    assert facts.ports == () and "No such file or directory" in facts.problem


def test_a_header_alone_is_cut_off() -> None:
    assert "before the first whole row" in parse("DEV\tPORT\tINDEX\tGID\n---\t---\n").problem


def test_a_table_pasted_with_blanks_and_colours_and_a_v6_address_is_read() -> None:
    facts = read("pasted_with_blanks.txt")
    (gid,) = facts.ports[0].gids
    assert (gid.index, gid.kind, gid.ipv4, gid.netdev) == (5, "v2", "", "ens1f0") and gid.routable
    assert not facts.problem

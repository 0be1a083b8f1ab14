"""Counters of the whole node: pairs of lines, hexadecimal columns, and texts that are none of it."""

from __future__ import annotations

from pathlib import Path

from raceway.facts.proc_net import ProcCounters, parse_pairs, parse_softnet

CASES = Path(__file__).parents[2] / "cases" / "proc_net"


def shown(name: str) -> str:
    return (CASES / name).read_text(encoding="utf-8")


def test_names_and_numbers_of_two_lines_become_counters() -> None:
    found = parse_pairs(shown("netstat.txt"))
    assert found.problem == ""
    assert found.counters["TcpExt.ListenOverflows"] == 12
    assert found.counters["IpExt.InOctets"] == 8324433109
    assert len(found.counters) == 9


def test_what_is_no_counter_is_left_out() -> None:
    counters = parse_pairs(shown("snmp.txt")).counters
    assert counters == {
        "Ip.InReceives": 7906828,
        "Ip.InDiscards": 0,
        "Tcp.ActiveOpens": 46914,
        "Tcp.RetransSegs": 512,
        "Udp.InDatagrams": 991,
        "Udp.RcvbufErrors": 4,
    }


def test_a_text_that_ends_early_gives_what_is_whole_and_says_so() -> None:
    found = parse_pairs(shown("truncated.txt"))
    assert found.counters["TcpExt.ListenDrops"] == 12
    assert found.problem == "IpExt: has names and no numbers"
    cut = parse_pairs(shown("truncated_row.txt"))
    assert cut.counters == {"TcpExt.SyncookiesSent": 0, "TcpExt.ListenOverflows": 1}
    assert "3 names, 2 numbers" in cut.problem


def test_an_error_text_and_silence_are_no_counters() -> None:
    assert parse_pairs(shown("error_and_exit_0.txt")).counters == {}
    assert "this is no output of" in parse_pairs(shown("error_and_exit_0.txt")).problem
    assert parse_pairs("") == ProcCounters(problem="printed nothing")
    assert parse_softnet("") == ProcCounters(problem="printed nothing")
    assert "this is no output of" in parse_softnet(shown("error_and_exit_0.txt")).problem


def test_a_value_that_is_no_number_is_told_and_is_not_zero() -> None:
    found = parse_pairs("TcpExt: A B\nTcpExt: 1 many\n")
    assert found == ProcCounters({"TcpExt.A": 1}, "TcpExt.B: many is no number")


def test_softnet_adds_up_all_cpus() -> None:
    expected = {"processed": 0x12D687 + 0x10, "dropped": 4, "time_squeeze": 11}
    assert parse_softnet(shown("softnet.txt")) == ProcCounters(expected)


def test_softnet_of_an_old_kernel_has_fewer_columns() -> None:
    expected = {"processed": 0x12D687 + 0x10, "dropped": 0, "time_squeeze": 2}
    assert parse_softnet(shown("softnet_old_kernel.txt")) == ProcCounters(expected)


def test_a_cut_line_of_softnet_is_told() -> None:
    found = parse_softnet(shown("softnet_old_kernel.txt") + "0000")
    assert found.counters["time_squeeze"] == 2 and "not understood: 0000" in found.problem

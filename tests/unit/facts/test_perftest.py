"""Result tables of perftest: the forms are those of its headings and rows, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.perftest import PerftestFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> PerftestFacts:
    return parse((CASES / "perftest" / name).read_text(encoding="utf-8"))


def test_a_sweep_gives_each_size_in_gigabits_and_what_was_run() -> None:
    facts = read("write_bw_all_sizes.txt")
    assert [(row.size_bytes, row.average_gbps, row.peak_gbps) for row in facts.bandwidth] == [
        (2, 0.10, 0.11),
        (65536, 387.46, 391.02),
        (8388608, 391.98, 392.10),
    ]
    assert facts.bandwidth[1].messages_mps == 0.739021 and facts.bandwidth[1].iterations == 20000
    assert (facts.test, facts.device, facts.link_type) == ("RDMA_Write BW Test", "mlx5_0", "Ethernet")
    assert (facts.mtu, facts.gid_index, facts.queue_pairs) == (4096, 3, 4)
    assert not facts.problem  # the usual warning about CPU frequencies is none


def test_a_peak_of_zero_was_not_measured() -> None:
    (row,) = read("write_bw_by_duration.txt").bandwidth
    assert (row.average_gbps, row.peak_gbps) == (363.47, None)


def test_an_average_of_zero_is_a_measured_zero() -> None:
    text = (CASES / "perftest" / "write_bw_by_duration.txt").read_text(encoding="utf-8").replace("363.47", "0.00")
    assert parse(text).bandwidth[0].average_gbps == 0


def test_latencies_are_taken_by_their_headings() -> None:
    (row,) = read("send_lat.txt").latency
    assert (row.min_us, row.max_us, row.typical_us, row.average_us) == (1.02, 4.51, 1.05, 1.06)
    assert (row.stdev_us, row.p99_us, row.p999_us) == (0.08, 1.21, 4.51)


def test_old_versions_print_mebibytes_and_fewer_latencies() -> None:
    (row,) = read("old_megabytes.txt").bandwidth
    assert row.average_gbps == pytest.approx(11498.75 * 2**20 * 8 / 1e9)
    (old,) = read("old_latency.txt").latency
    assert (old.typical_us, old.average_us, old.p99_us) == (1.20, None, None)


def test_a_row_that_is_cut_off_is_left_out_and_told() -> None:
    facts = read("truncated.txt")
    assert [row.size_bytes for row in facts.bandwidth] == [65536] and "cut off" in facts.problem


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("completion_error_and_exit_0.txt", "Failed status 12: wr_id 0 syndrom 0x81"),
        ("no_connection_and_exit_0.txt", "Couldn't connect to 192.168.1.2:18515"),
    ],
)
def test_a_failure_with_exit_status_0_is_a_problem_and_no_bandwidth(name: str, said: str) -> None:
    facts = read(name)
    assert facts.bandwidth == () and said in facts.problem and "without a result" in facts.problem


def test_silence_and_foreign_words_are_problems() -> None:
    assert parse("") == PerftestFacts(problem=SILENT)
    assert "commande introuvable" in parse("ib_write_bw : commande introuvable\n").problem


def test_units_that_are_not_known_give_no_number() -> None:
    head = " #bytes #iterations    BW peak[Tb/sec]    BW average[Tb/sec]   MsgRate[Mpps]\n"
    facts = parse(f"{head} 65536 1000 0.40 0.39 0.7\n")
    assert facts.bandwidth[0].average_gbps is None and "unit" in facts.problem
    cycles = parse(" #bytes #iterations    t_min[cycles]    t_max[cycles]  t_typical[cycles]\n 2 1000 2500 9000 2600\n")
    assert cycles.latency == () and "not in microseconds" in cycles.problem


def test_a_number_with_a_decimal_comma_is_not_taken_for_another_number() -> None:
    head = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    facts = parse(f"{head} 65536      20000            391,02             387,46             0,739021\n")
    assert facts.bandwidth == () and "391,02" in facts.problem

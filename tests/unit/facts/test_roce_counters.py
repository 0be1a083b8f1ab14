"""Counters of RoCE ports by one set of names, and what was counted between two looks."""

from __future__ import annotations

from raceway.facts.dcb import Pfc, parse_pfc
from raceway.facts.ethtool_stats import Statistics
from raceway.facts.ethtool_stats import parse as parse_statistics
from raceway.facts.roce_counters import Reading, growth, read

from ..builders import CASES


def test_mlx5_and_bnxt_are_read_by_the_same_names() -> None:
    mlx5 = read(Statistics({"rx_prio3_pause": 5, "rx_prio3_discards": 1}), Pfc(), {})
    bnxt = read(Statistics({"rx_pfc_ena_frames_pri3": 5}), Pfc(), {})
    assert mlx5.counters["rx_pause 3"] == bnxt.counters["rx_pause 3"] == 5
    assert mlx5.counters["rx_discards 3"] == 1 and "rx_discards 3" not in bnxt.counters


def test_recorded_output_of_ethtool_is_read() -> None:
    seen = read(parse_statistics((CASES / "ethtool_stats/normal.txt").read_text(encoding="utf-8")), Pfc(), {})
    assert seen.problem == "" and "rx_pause 3" in seen.counters


def test_pause_frames_of_a_driver_without_names_for_them_are_those_of_dcb() -> None:
    pfc = parse_pfc((CASES / "dcb_pfc/statistics.json").read_text(encoding="utf-8"))
    seen = read(Statistics(), pfc, {}).counters
    assert seen["tx_pause 3"] == (pfc.requests or ())[3] and seen["rx_pause 3"] == (pfc.indications or ())[3]
    assert read(Statistics({"rx_prio3_pause": 7}), pfc, {}).counters["rx_pause 3"] == 7


def test_the_files_of_an_rdma_device_are_read_and_words_are_no_numbers() -> None:
    seen = read(Statistics(), Pfc(), {"np_cnp_sent": "12\n", "rp_cnp_handled": "N/A (no PMA)\n", "rcvd_pkts": "4\n"})
    assert seen.counters == {"cnp_sent": 12, "received": 4}


def test_a_port_that_counts_nothing_is_a_problem_with_the_tool_s_own_words() -> None:
    assert read(Statistics(problem="no stats available"), Pfc(), {}).problem == "no stats available"
    assert read(Statistics(), Pfc(), {}).problem == "there are no counters"


def test_growth_is_the_difference_of_two_looks_and_a_reset_counter_gives_none() -> None:
    found = growth("ens1", 1.0, Reading({"a": 5, "b": 9, "gone": 1}), Reading({"a": 7, "b": 2, "new": 3}))
    assert found.grown == {"a": 2} and found.reset == ("b",)
    assert found.of("a") == 2 and found.of("b") is None
    assert growth("ens1", 1.0, Reading({"rx_pause 3": 1}), Reading({"rx_pause 3": 4})).of("rx_pause", 3) == 3

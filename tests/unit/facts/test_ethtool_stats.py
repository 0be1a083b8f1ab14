"""Output of ``ethtool -S`` of several drivers."""

from __future__ import annotations

from raceway.facts.ethtool_stats import Statistics, parse

from ..builders import CASES


def _read(name: str) -> Statistics:
    return parse((CASES / "ethtool_stats" / f"{name}.txt").read_text(encoding="utf-8"))


def test_counters_of_a_priority_are_found_under_the_names_of_mlx5() -> None:
    found = _read("normal")
    assert found.counters["rx_packets"] == 2**64 - 1 and found.problem == ""
    assert (found.of_priority("rx_pause", 3), found.of_priority("tx_pause", 3)) == (0, 41)
    assert (found.of_priority("rx_discards", 3), found.of_priority("rx_bytes", 3)) == (12, 7340032)


def test_counters_of_a_priority_are_found_under_the_names_of_bnxt() -> None:
    found = _read("bnxt")
    assert (found.of_priority("rx_pause", 3), found.of_priority("rx_pause_us", 3)) == (5, 77)
    assert found.counters["[1]: rx_ucast_packets"] == 11


def test_a_counter_the_driver_has_not_is_none_and_not_zero() -> None:
    assert _read("bnxt").of_priority("rx_discards", 3) is None
    assert _read("normal").of_priority("rx_pause", 5) is None


def test_a_word_for_a_number_is_kept_as_a_word() -> None:
    found = _read("older_words_for_numbers")
    assert found.counters == {"rx_packets": 17} and found.unread == {"symbol_error": "N/A (no PMA)"}


def test_a_number_that_is_cut_off_is_no_number() -> None:
    found = _read("truncated")
    assert "rx_prio3_discards" not in found.counters and found.problem == "cut off: in 'rx_prio3_discards: 1'"
    assert "b" not in parse("NIC statistics:\n     a: 7\n     b: 11").counters


def test_an_error_silence_and_foreign_numbers_give_no_counter() -> None:
    assert _read("error").problem == "no stats available"
    assert _read("empty").problem == "printed nothing"
    foreign = parse("     load: 7\n")
    assert foreign.counters == {} and foreign.problem.startswith("this is no output of ethtool -S")
    assert parse("NIC statistics:\n").problem == "cut off: counters"

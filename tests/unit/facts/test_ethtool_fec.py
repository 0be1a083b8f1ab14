"""Output of ``ethtool --show-fec``, as text and as JSON."""

from __future__ import annotations

from raceway.facts.ethtool_fec import Fec, parse

from ..builders import CASES


def _read(name: str) -> Fec:
    return parse((CASES / "ethtool_fec" / name).read_text(encoding="utf-8"))


def test_configured_and_active_encodings_are_told_apart() -> None:
    assert _read("normal.txt") == Fec("eth2", ("Auto", "RS", "BaseR"), ("RS",))


def test_counters_are_totals_over_all_lanes_in_both_forms() -> None:
    text, data = _read("counters.txt"), _read("normal.json")
    assert text.counters == {"corrected_blocks": 123, "uncorrectable_blocks": 4, "fec_symbol_err_0": 445}
    assert data.counters == {"corrected_blocks": 123, "uncorrectable_blocks": 4}
    assert text.active == data.active == ("RS",) and text.problem == data.problem == ""


def test_the_wording_of_older_tools_is_read_and_a_dead_link_keeps_its_word() -> None:
    found = _read("older_link_down.txt")
    assert (found.configured, found.active, found.problem) == (("Auto",), ("None",), "")


def test_an_active_encoding_that_is_cut_off_is_unknown() -> None:
    found = _read("truncated.txt")
    assert found.configured == ("Auto", "RS", "BaseR") and found.active is None
    assert found.problem == "cut off: in 'Active FEC enc'; cut off: active"


def test_errors_silence_and_foreign_text_give_no_encoding() -> None:
    assert _read("error.txt").problem == "Cannot get FEC settings: Operation not supported"
    assert _read("empty.txt").problem == "printed nothing"
    for text in ("hello", '{"a": 1}', "[{"):
        assert parse(text).problem and parse(text).active is None

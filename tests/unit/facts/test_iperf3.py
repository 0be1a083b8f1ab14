"""Results of iperf3 as JSON: the form is the tool's, the values are made up."""

from __future__ import annotations

import json

import pytest

from raceway.facts.iperf3 import Iperf3, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> Iperf3:
    return parse((CASES / "iperf3" / name).read_text(encoding="utf-8"))


def test_the_receivers_rate_is_the_result() -> None:
    facts = read("normal.json")
    assert facts.received_gbps == pytest.approx(9.4293591) and facts.sent_gbps == pytest.approx(9.4343822)
    assert (facts.retransmits, facts.congestion, facts.version) == (12, "bbr", "iperf 3.12")
    assert facts.seconds == 5.00041 and not facts.problem


def test_older_versions_tell_no_retransmissions_and_that_is_not_zero() -> None:
    facts = read("older_without_retransmits.json")
    assert (facts.retransmits, facts.congestion, facts.version) == (None, "", "iperf 3.0.11")
    assert facts.received_gbps is not None and not facts.problem


def test_an_error_with_exit_status_0_is_a_problem_and_no_rate() -> None:
    facts = read("error_and_exit_0.json")
    assert facts.received_gbps is None
    assert facts.problem == "unable to connect to server: Connection refused; the test ended without a result"


def test_a_rate_of_nothing_was_not_measured() -> None:
    facts = read("error_nothing_received.json")
    assert (facts.received_gbps, facts.problem) == (None, "the test ended without a result")


def test_a_cut_text_has_no_rate_and_silence_and_other_words_are_told() -> None:
    assert "cut off" in read("truncated.json").problem and read("truncated.json").received_gbps is None
    assert parse("") == Iperf3(problem=SILENT)
    assert "unable to create a new stream" in read("error_text.txt").problem


def test_warnings_before_the_json_do_not_hide_it() -> None:
    text = (CASES / "iperf3" / "normal.json").read_text(encoding="utf-8")
    assert parse("warning: this system does not seem to support IPv6\n" + text).received_gbps is not None


def test_parts_of_another_form_are_no_rate() -> None:
    assert parse(json.dumps({"end": [1], "start": 2})).problem == "the test ended without a result"
    assert parse(json.dumps({"end": {"sum_received": {"bytes": 1, "bits_per_second": "nan"}}})).received_gbps is None

"""Verdicts on whole sweeps: who is named, what is a path, what is everybody's, and what has not been measured."""

from __future__ import annotations

import dataclasses

import pytest

from raceway.acceptance import model
from raceway.acceptance.model import LeftOut, Settings
from raceway.acceptance.verdict import FAILED, INCOMPLETE, PASSED, Verdict, judge, to_json

from .builders import GOOD, good, make_ports, make_sweep, measured, slow


def names(found: Verdict) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in found.findings]


def test_a_sweep_in_which_all_is_well_passes() -> None:
    sweep = make_sweep(5, rails=2)
    found = judge(sweep, measured(sweep, good))
    assert (found.word, found.findings, found.counts) == (PASSED, (), {"ok": 60, "low": 0, "none": 0})


def test_a_sweep_without_any_figure_is_not_passed() -> None:
    sweep = make_sweep(4)
    assert judge(sweep, []).word == INCOMPLETE
    assert judge(sweep, measured(sweep, good, silent=sweep.hosts)).word == INCOMPLETE


@pytest.mark.parametrize("count", [3, 4, 8, 9])
def test_the_odd_node_out_is_named_with_its_figures_and_the_next_act(count: int) -> None:
    sweep = make_sweep(count)
    found = judge(sweep, measured(sweep, slow(lambda a, _: a == "gpu02")))
    (one,) = found.findings
    assert found.word == FAILED and (one.kind, one.name, one.hosts) == ("port", "gpu02 rail 0", ("gpu02",))
    wanted = f"it sends too slowly: {count - 1} of {count - 1} measurements, 40 Gb/s, wanted at least 360"
    assert one.text == wanted and "next: look at what limits sending there" in one.message()


def test_one_slow_pair_is_a_path_because_both_do_better_with_others() -> None:
    sweep = make_sweep(6)
    found = judge(sweep, measured(sweep, slow(lambda a, b: {a, b} == {"gpu01", "gpu04"})))
    (one,) = found.findings
    assert (one.kind, one.name) == ("path", "gpu01 ↔ gpu04 rail 0") and "it is the path, no node" in one.text


def test_of_two_nodes_the_direction_is_told_and_that_a_third_is_needed() -> None:
    sweep = make_sweep(2)
    found = judge(sweep, measured(sweep, slow(lambda a, _: a == "gpu02")))
    (one,) = found.findings
    assert (one.kind, one.name) == ("path", "gpu02 → gpu01 rail 0")
    assert "gpu02 sends or gpu01 receives badly" in one.text and "third node" in one.act


def test_two_odd_nodes_of_four_are_both_named() -> None:
    sweep = make_sweep(4, measures=("bandwidth",))
    found = judge(sweep, measured(sweep, slow(lambda a, b: bool({"gpu01", "gpu03"} & {a, b}))))
    assert names(found) == [("port", "gpu01 rail 0"), ("port", "gpu03 rail 0")]


def test_a_node_whose_ports_are_all_bad_is_named_as_a_node() -> None:
    sweep = make_sweep(5, rails=3)
    found = judge(sweep, measured(sweep, slow(lambda a, b: "gpu05" in (a, b))))
    (one,) = found.findings
    assert (one.kind, one.name) == ("node", "gpu05") and one.text.startswith("all of its 3 ports are bad: gpu05 rail 0")


def test_a_rail_that_is_slow_everywhere_is_the_rails_and_who_is_slow_even_there_is_named() -> None:
    sweep = make_sweep(6, measures=("bandwidth",))
    found = judge(sweep, measured(sweep, slow(lambda a, b: True, 200.0)))
    assert names(found) == [("rail", "rail 0")]
    even_there = judge(sweep, measured(sweep, lambda m, a, b: 20.0 if a == "gpu03" else 200.0))
    assert names(even_there) == [("rail", "rail 0"), ("port", "gpu03 rail 0")]


def test_pairs_that_fail_are_blamed_like_slow_ones() -> None:
    sweep = make_sweep(5, measures=("bandwidth",))
    found = judge(sweep, measured(sweep, lambda m, a, b: None if b == "gpu04" else GOOD[m]))
    (one,) = found.findings
    assert found.word == FAILED and one.name == "gpu04 rail 0"
    assert "it receives too slowly: 4 of 4 measurements, 4 without a figure (gpu01: Completion with error)" in one.text


def test_a_latency_above_its_limit_fails_and_names_the_port() -> None:
    sweep = make_sweep(5, latency_us=5.0)
    found = judge(sweep, measured(sweep, lambda m, a, b: 9.0 if m == "latency" and "gpu03" in (a, b) else GOOD[m]))
    (one,) = found.findings
    assert one.name == "gpu03 rail 0" and one.text == "latency is bad: 4 of 4 measurements, 9 µs, wanted at most 5"


def test_a_node_that_is_lost_half_way_is_told_and_nobody_is_blamed_for_it() -> None:
    sweep = make_sweep(5)
    found = judge(sweep, measured(sweep, good, silent=("gpu02",)))
    (one,) = found.findings
    assert found.word == INCOMPLETE and (one.kind, one.hosts) == ("not measured", ("gpu02",))
    assert one.text == "7 bandwidth and latency measurements left out: no answer from gpu02"


def test_all_nodes_without_an_answer_are_told_as_one() -> None:
    sweep = make_sweep(6, measures=("bandwidth",))
    found = judge(sweep, measured(sweep, good, silent=("gpu01", "gpu02", "gpu03")))
    (one,) = found.findings
    assert one.text == "15 bandwidth measurements left out: no answer from gpu[01-03]"


def test_a_missing_tool_is_told_once_and_a_path_that_was_shown_is_no_bandwidth() -> None:
    ports = make_ports(4)
    ports[1] = model.with_tools(ports[1], ("rping",))
    sweep = model.build(Settings(measures=("bandwidth",)), ports, [])
    cells = measured(sweep, good)
    found = judge(sweep, cells)
    (one,) = found.findings
    assert found.word == INCOMPLETE and "6 bandwidth measurements left out: ib_write_bw missing on gpu02" in one.text
    assert sum(cell.measure == "reach" and cell.state == "ok" for cell in cells) == 3


def test_a_link_that_came_up_slower_than_declared_is_named_whatever_was_measured() -> None:
    ports = make_ports(4)
    ports[2] = dataclasses.replace(ports[2], rate_gbps=100.0)
    sweep = model.build(Settings(), ports, [])
    found = judge(sweep, measured(sweep, good))
    (one,) = found.findings
    assert (found.word, one.kind, one.name) == (FAILED, "link", "gpu03 rail 0")
    assert one.text == "its link came up at 100 Gb/s, declared are 400"


def test_what_was_left_out_keeps_a_sweep_from_passing() -> None:
    sweep = make_sweep(4, left_out=(LeftOut("gpu09 rail 0", "it is declared without address", "declare it"),))
    found = judge(sweep, measured(sweep, good))
    assert found.word == INCOMPLETE and found.findings[0].message() == (
        "gpu09 rail 0: not measured: it is declared without address; next: declare it"
    )


def test_the_json_form_holds_word_counts_and_findings() -> None:
    sweep = make_sweep(3)
    data = to_json(judge(sweep, measured(sweep, slow(lambda a, _: a == "gpu01"))))
    assert (data["verdict"], data["counts"]["low"], data["findings"][0]["hosts"]) == ("failed", 2, ["gpu01"])

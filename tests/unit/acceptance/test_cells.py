"""Cells: the sender's figure, the slower end's limit, and a reason where there is no figure."""

from __future__ import annotations

import dataclasses

from raceway.acceptance import model
from raceway.acceptance.cells import LOW, NONE, OK, cells
from raceway.acceptance.model import Settings

from .builders import answers, good, make_ports, make_sweep, measured


def test_the_slower_end_of_a_pair_sets_its_limit() -> None:
    ports = make_ports(3)
    ports[0] = dataclasses.replace(ports[0], gbps=100.0, rate_gbps=100.0)
    sweep = model.build(Settings(measures=("bandwidth",)), ports, [])
    limits = {(cell.sender, cell.receiver): cell.limit for cell in measured(sweep, good)}
    assert limits["gpu01", "gpu02"] == limits["gpu03", "gpu01"] == 90.0 and limits["gpu02", "gpu03"] == 360.0


def test_a_bandwidth_must_reach_its_limit_and_a_latency_must_not_pass_it() -> None:
    sweep = make_sweep(2)
    for bandwidth, latency, states in ((360.0, 5.0, {OK}), (359.9, 5.1, {LOW})):
        figures = {"bandwidth": bandwidth, "latency": latency}
        found = measured(sweep, lambda m, a, b, of=figures: of[m])  # type: ignore[misc]
        assert {cell.state for cell in found} == states


def test_a_failed_measurement_has_the_reasons_of_both_ends_and_no_number() -> None:
    sweep = make_sweep(2, measures=("latency",))
    rows = answers(sweep, lambda m, a, b: None)
    rows["gpu02"][0]["problem"] = "exit 1: device not found"
    (cell,) = cells(sweep, rows)
    assert (cell.value, cell.state, cell.text, cell.tried) == (None, NONE, "not measured", True)
    assert cell.reason == "gpu01: Completion with error; gpu02: exit 1: device not found"


def test_a_node_without_an_answer_is_named_in_every_cell_it_was_to_be_in() -> None:
    found = measured(make_sweep(3, measures=("bandwidth",)), good, silent=("gpu03",))
    lost = [cell for cell in found if cell.value is None]
    # What gpu01 measured towards gpu03 counts; what gpu03 would have measured is not there.
    assert {(cell.sender, cell.reason, cell.tried) for cell in lost} == {("gpu03", "no answer from gpu03", False)}


def test_every_pair_of_every_rail_has_its_cells() -> None:
    found = measured(make_sweep(5, rails=2), good)
    assert (
        len(found) == 2 * (5 * 4 + 5 * 4 // 2) and len({(c.rail, c.measure, c.sender, c.receiver) for c in found}) == 60
    )

"""A sweep as data: rails, blocks, what a pair costs, which tool both ends have, and the JSON form."""

from __future__ import annotations

import json

import pytest

from raceway.acceptance import model
from raceway.acceptance.model import LeftOut, Settings

from .builders import make_ports, make_sweep


def test_rails_are_measured_at_once_or_one_after_the_other() -> None:
    at_once, one_by_one = make_sweep(5, rails=2), make_sweep(5, rails=2, rails_together=False)
    assert (at_once.rounds, at_once.pairs, [rail.offset for rail in at_once.rails]) == (5, 20, [0, 0])
    assert (one_by_one.rounds, one_by_one.pairs, [rail.offset for rail in one_by_one.rails]) == (10, 20, [0, 5])


def test_a_rail_of_one_port_is_left_out_and_the_others_are_measured() -> None:
    sweep = model.build(Settings(), [*make_ports(3), *make_ports(1, rails=2)[1:]], [LeftOut("x", "y", "z")])
    assert [rail.number for rail in sweep.rails] == [0]
    assert [one.name for one in sweep.left_out] == ["x", "gpu01 rail 1"]


def test_a_limit_of_rounds_holds_for_each_rail() -> None:
    assert (make_sweep(8, rounds=2).rounds, make_sweep(3, rounds=9).rounds) == (2, 3)


@pytest.mark.parametrize("count", [2, 3, 16, 300])
def test_blocks_hold_every_round_once_and_are_not_too_many(count: int) -> None:
    blocks = make_sweep(count).blocks
    assert [number for first, end in blocks for number in range(first, end)] == list(range(count - 1 + count % 2))
    assert len(blocks) <= model.MOST_BLOCKS


def test_a_pair_costs_its_measurements_and_the_time_around_each() -> None:
    assert make_sweep(2, seconds=5, measures=("bandwidth", "latency")).round_s == 2 * (5 + 2) + 1 + 2


def test_where_perftest_is_absent_on_one_end_the_path_is_shown_with_what_both_have() -> None:
    full, bare, none = make_ports(3)
    bare, none = model.with_tools(bare, ("udaddy", "rping")), model.with_tools(none, ())
    assert model.tool(Settings(), "bandwidth", full, full) == ("bandwidth", "ib_write_bw")
    assert model.tool(Settings(), "bandwidth", full, bare) == ("reach", "rping")
    assert model.tool(Settings(), "latency", full, model.with_tools(bare, ("udaddy",))) == ("reach", "udaddy")
    assert model.tool(Settings(), "bandwidth", full, none) == ("bandwidth", "")
    assert model.tool(Settings(transport="tcp"), "bandwidth", full, bare) == ("bandwidth", "")
    assert model.lacking(Settings(), "bandwidth", full, bare, none) == "ib_write_bw missing on gpu02, gpu03"


def test_the_json_form_comes_back_as_it_was() -> None:
    sweep = make_sweep(3, rails=2, left_out=(LeftOut("x", "y", "z"),), fraction=0.5)
    assert model.from_json(json.loads(json.dumps(model.to_json(sweep)))) == sweep

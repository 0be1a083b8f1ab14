"""What each node is asked: both ends of a pair get the same list; one calls, one is called; one sends, one serves."""

from __future__ import annotations

from raceway.acceptance import model, work
from raceway.acceptance.model import Settings
from raceway.model.pairwise import parse

from .builders import make_ports, make_sweep


def test_both_ends_of_every_pair_agree_on_everything_but_their_side() -> None:
    sweep = make_sweep(5, rails=2)
    address = {port.address: port.host for port in sweep.ports}
    seen = {}
    for host in sweep.hosts:
        for lane in work.block(sweep, host, 0, sweep.rounds)["lanes"]:
            for match in lane["matches"]:
                seen[lane["rail"], match["round"], host, address[match["peer"]]] = match
    assert len(seen) == 2 * 2 * 10
    for (rail, number, host, peer), match in seen.items():
        other = seen[rail, number, peer, host]
        assert match["call"] is not other["call"]
        for one, two in zip(match["slots"], other["slots"], strict=True):
            assert one["sends"] is not two["sends"] and one["port"] == two["port"] and one["tool"] == two["tool"]
        assert [slot["measure"] for slot in match["slots"]] == ["bandwidth", "bandwidth", "latency"]
        assert match["slots"][0]["sends"] is match["call"] is not match["slots"][1]["sends"]


def test_tools_and_meetings_of_different_rails_use_different_ports() -> None:
    lanes = work.block(make_sweep(3, rails=3), "gpu01", 0, 3)["lanes"]
    used = [{lane["listen"], *(slot["port"] for match in lane["matches"] for slot in match["slots"])} for lane in lanes]
    assert len(used) == 3 and not (used[0] & used[1] or used[1] & used[2] or used[0] & used[2])
    assert all(18600 <= port < 19600 for ports in used for port in ports)


def test_a_block_holds_its_rounds_alone_and_nobody_waits_for_a_dead_host() -> None:
    sweep = make_sweep(6)
    (lane,) = work.block(sweep, "gpu03", 1, 3)["lanes"]
    assert [match["round"] for match in lane["matches"]] == [1, 2]
    (whole,) = work.block(sweep, "gpu03", 0, 5, dead=("gpu05",))["lanes"]
    assert "10.0.0.5" not in {match["peer"] for match in whole["matches"]} and len(whole["matches"]) == 4
    assert work.block(sweep, "gpu03", 0, 5, dead=sweep.hosts)["lanes"] == []


def test_pairs_that_nobody_waits_for_are_kept_with_whose_fault_it_is() -> None:
    sweep = make_sweep(6, measures=("bandwidth",))
    rows = work.given_up(sweep, "gpu03", 0, 5, dead=("gpu05",))
    assert [(row["sends"], row["value"], row["problem"]) for row in rows] == [
        (True, None, "gpu05 could not be reached any more"),
        (False, None, "gpu05 could not be reached any more"),
    ]
    assert work.given_up(sweep, "gpu03", 0, 5, dead=()) == []


def test_rails_one_after_the_other_share_no_round() -> None:
    sweep = make_sweep(3, rails=2, rails_together=False)
    for number in range(sweep.rounds):
        rails = {lane["rail"] for host in sweep.hosts for lane in work.block(sweep, host, number, number + 1)["lanes"]}
        assert rails == {number // 3}


def test_a_path_is_shown_once_however_much_was_to_be_measured() -> None:
    ports = [model.with_tools(port, ("rping",)) for port in make_ports(2)]
    sweep = model.build(Settings(), ports, [])
    (lane,) = work.block(sweep, "gpu01", 0, 1)["lanes"]
    assert [(slot["measure"], slot["tool"]) for slot in lane["matches"][0]["slots"]] == [("reach", "rping")]


def test_the_request_is_what_the_node_reads() -> None:
    request = work.block(make_sweep(4, traffic_class=106), "gpu02", 0, 3)
    block = parse(request)
    assert block.lanes[0].matches[0].slots[0].traffic_class == 106 and block.run == "run"
    assert block.limit_s > 3 * make_sweep(4).round_s

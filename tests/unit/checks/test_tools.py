"""Command lines of the measuring tools, and the figure of what they print; outputs are those of the parsers' cases."""

from __future__ import annotations

import pytest

from raceway.checks.tools import command, figure, too_early
from raceway.model.pairwise import Match, Slot

from ..builders import CASES

OWN, PEER = "10.0.0.1", "10.0.0.2"


def make_slot(tool: str, sends: bool = True, **changed: object) -> Slot:
    return Slot("bandwidth", tool, sends, device="mlx5_0", gid_index=3, port=18800, **changed)  # type: ignore[arg-type]


def words(slot: Slot) -> str:
    return " ".join(command(slot, Match(0, PEER, True, (slot,)), OWN))


def text(kind: str, name: str) -> str:
    return (CASES / kind / name).read_text(encoding="utf-8")


def test_perftest_gets_its_device_gid_class_and_port_and_the_partner_where_it_sends() -> None:
    shared = "ib_write_bw -F -d mlx5_0 -i 1 -p 18800 -x 3 --tclass 106 --report_gbits -D 5 -s 65536 -q 4"
    slot = make_slot("ib_write_bw", seconds=5, queue_pairs=4, traffic_class=106)
    assert words(slot) == f"{shared} {PEER}"
    assert words(make_slot("ib_write_bw", False, seconds=5, queue_pairs=4, traffic_class=106)) == shared
    assert words(make_slot("ib_send_lat")).endswith("-x 3 -n 1000 -s 2 10.0.0.2")


def test_a_port_of_infiniband_has_no_gid_and_no_class() -> None:
    slot = Slot("bandwidth", "ib_write_bw", True, device="mlx5_1", ib_port=2)
    assert "-x" not in words(slot) and "--tclass" not in words(slot) and "-i 2" in words(slot)


def test_the_other_tools_are_bound_to_the_ports_address_on_both_ends() -> None:
    assert words(make_slot("iperf3")) == f"iperf3 -c {PEER} -J -B {OWN} -p 18800 -t 2 -P 1"
    assert words(make_slot("iperf3", False)) == f"iperf3 -s -1 -J -B {OWN} -p 18800"
    assert words(make_slot("rping")) == f"rping -c -I {OWN} -a {PEER} -p 18800 -C 20 -v"
    assert words(make_slot("rping", False)) == f"rping -s -a {OWN} -p 18800 -C 20 -v"
    assert words(make_slot("udaddy")) == f"udaddy -s {PEER} -b {OWN}" and words(make_slot("udaddy", False)).endswith(
        OWN
    )


@pytest.mark.parametrize(
    ("tool", "kind", "name", "value"),
    [
        ("ib_write_bw", "perftest", "write_bw_by_duration.txt", 363.47),
        ("ib_send_lat", "perftest", "send_lat.txt", 1.05),
        ("iperf3", "iperf3", "normal.json", 9.4293591001),
        ("udaddy", "udaddy", "normal.txt", 1.0),
    ],
)
def test_the_figure_of_a_whole_output_is_its_result(tool: str, kind: str, name: str, value: float) -> None:
    found, problem = figure(make_slot(tool), text(kind, name))
    assert found == pytest.approx(value) and problem == ""


@pytest.mark.parametrize(
    ("tool", "kind", "name"),
    [
        ("ib_write_bw", "perftest", "truncated.txt"),
        ("ib_write_bw", "perftest", "completion_error_and_exit_0.txt"),
        ("iperf3", "iperf3", "error_and_exit_0.json"),
        ("iperf3", "iperf3", "error_nothing_received.json"),
        ("rping", "rping", "error_half_way.txt"),
        ("udaddy", "udaddy", "error_unreachable_and_exit_0.txt"),
        ("ib_send_lat", "rping", "empty.txt"),
    ],
)
def test_an_output_with_a_problem_has_no_figure(tool: str, kind: str, name: str) -> None:
    found, problem = figure(make_slot(tool), text(kind, name))
    assert found is None and problem


def test_rping_must_bring_every_message_back() -> None:
    assert figure(make_slot("rping"), text("rping", "normal.txt")) == (None, "5 of 20 messages came back")


def test_a_client_that_came_too_early_may_try_again_and_one_that_failed_may_not() -> None:
    assert too_early(text("iperf3", "error_and_exit_0.json")) and too_early(text("rping", "error_rejected.txt"))
    assert too_early("Couldn't connect to 10.0.0.2:18800\nUnable to open file descriptor for socket connection")
    assert not too_early(text("perftest", "completion_error_and_exit_0.txt"))

"""Two and three nodes on addresses of this machine's own loopback: they meet, measure, give up, and leave nothing.

The tools are small programs that listen and connect as real ones do. What those print is in the parsers' cases.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from raceway.checks import pairwise
from raceway.checks.meeting import Gone, Line, Meeting
from raceway.host import Host
from raceway.model.pairwise import Block, Lane, Match, Slot, parse

pytestmark = [
    pytest.mark.allow("network", reason="programs meet over the loopback"),
    pytest.mark.allow("exec", reason="the tools are programs"),
]
BASE = 28600
TOOL = """#!{python}
import json, socket, sys, time
words = sys.argv
port, own = int(words[words.index("-p") + 1]), words[words.index("-B") + 1]
if "-s" in words:
    door = socket.socket()
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind((own, port))
    door.listen(1)
    door.accept()[0].recv(8)
    time.sleep({lingers})
else:
    try:
        there = socket.create_connection((words[words.index("-c") + 1], port))
    except OSError:
        sys.exit(print(json.dumps({{"start": {{}}, "error": "unable to connect to server: Connection refused"}})))
    there.send(b"x")
    print(json.dumps({{"start": {{}}, "end": {{"sum_received": {{"bytes": 9, "bits_per_second": 9.4e9}}}}}}))
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    return make_tool(tmp_path, monkeypatch, 0)


def make_tool(folder: Path, monkeypatch: pytest.MonkeyPatch, lingers: int) -> Host:
    program = folder / "iperf3"
    program.write_text(TOOL.format(python=sys.executable, lingers=lingers), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(pairwise, "gone", lambda: False)
    monkeypatch.setattr(pairwise, "SETTLE_S", 0.1)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # nodes are threads here, not processes
    return Host()


def address(number: int) -> str:
    return f"127.7.0.{number}"


def make_block(number: int, partners: dict[int, int], patience_s: float = 2.0, limit_s: float = 30.0) -> Block:
    """Return the block of one node. ``partners``: round → number of the node it meets."""
    matches = []
    for one, peer in partners.items():
        slots = tuple(
            Slot("bandwidth", "iperf3", (number < peer) is first, port=BASE + 200 + one) for first in (True, False)
        )
        matches.append(Match(one, address(peer), number < peer, slots))
    return Block("run", (Lane(0, address(number), BASE, tuple(matches)),), patience_s, limit_s)


def together(host: Host, *blocks: Block) -> list[list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}

    def one(number: int) -> None:
        found[number] = pairwise.measure(host, blocks[number])

    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(blocks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(blocks))]


def test_three_nodes_meet_in_turn_and_measure_both_directions(host: Host) -> None:
    blocks = [make_block(1, {1: 2, 2: 3}), make_block(2, {0: 3, 1: 1}), make_block(3, {0: 2, 2: 1})]
    for rows in together(host, *blocks):
        assert [row["problem"] for row in rows] == [""] * 4
        assert [row["value"] for row in rows if row["sends"]] == [9.4, 9.4]
        assert [row["value"] for row in rows if not row["sends"]] == [None, None]


def test_a_dead_partner_costs_one_patience_and_no_other_pair(host: Host) -> None:
    began = time.monotonic()
    first, second = together(host, make_block(1, {0: 3, 1: 2}), make_block(2, {1: 1, 2: 3}))
    assert [row["value"] for row in first if row["sends"]] == [None, 9.4]
    assert "127.7.0.3: no sign of life for 2 s: Connection refused" in first[0]["problem"]
    assert [row["problem"] for row in second[:2]] == ["", ""] and "127.7.0.3" in second[2]["problem"]
    assert time.monotonic() - began < 15


def test_a_server_that_does_not_end_is_ended_when_its_client_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_tool(tmp_path, monkeypatch, 60)
    monkeypatch.setattr(pairwise, "GRACE_S", 0.2)
    began = time.monotonic()
    rows = together(host, make_block(1, {0: 2}), make_block(2, {0: 1}))
    assert all(row["problem"] == "" for one in rows for row in one) and time.monotonic() - began < 15


def test_a_tool_that_is_missing_is_a_row_with_its_reason(host: Host, tmp_path: Path) -> None:
    (tmp_path / "iperf3").unlink()
    for rows in together(host, make_block(1, {0: 2}), make_block(2, {0: 1})):
        assert all(row["value"] is None and "iperf3: not found on this node" in row["problem"] for row in rows)


def test_a_place_that_cannot_be_listened_at_is_a_reason_for_all_its_pairs(host: Host) -> None:
    block = Block("run", (Lane(0, "192.0.2.1", BASE, make_block(1, {0: 2}).lanes[0].matches),), 1.0, 5.0)
    rows = pairwise.measure(host, block)
    assert len(rows) == 2 and all("192.0.2.1 port 28600 cannot be listened at" in row["problem"] for row in rows)


def test_everything_is_ended_when_nobody_waits_for_the_answer(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise, "gone", lambda: True)
    began = time.monotonic()
    with pytest.raises(BrokenPipeError):
        pairwise.measure(host, make_block(1, {0: 2}, patience_s=60))
    assert time.monotonic() - began < 5 and threading.active_count() == 1


def test_the_caller_of_another_sweep_or_of_a_round_that_is_over_is_sent_away() -> None:
    meeting = Meeting("run", address(9), BASE + 9, 3.0, lambda: False)
    early = Meeting("other", address(8), BASE + 9, 0.5, lambda: False)
    late = Meeting("run", address(7), BASE + 9, 3.0, lambda: False)

    def receive() -> None:
        with pytest.raises(Gone):
            meeting.receive(address(6), 4, time.monotonic() + 3)

    receiver = threading.Thread(target=receive)
    receiver.start()
    try:
        with pytest.raises(Gone, match="had given this pair up"):
            late.call(address(9), 3, time.monotonic() + 3)
        with pytest.raises(Gone, match=r"no sign of life|before the time of the block"):
            early.call(address(9), 4, time.monotonic() + 1)
    finally:
        receiver.join()
        for one in (meeting, early, late):
            one.close()


def test_the_request_of_a_look_and_of_a_block_go_to_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise, "look", lambda host, ports: [{"seen": ports}])
    looked = pairwise.answer({"pairwise": {"step": "look", "ports": [1]}}, Host())
    assert looked == {"pairwise": [{"seen": [1]}]}
    monkeypatch.setattr(pairwise, "measure", lambda host, block: [{"run": block.run}])
    wanted = {"step": "measure", "run": "r", "lanes": [], "patience_s": 1, "limit_s": 2}
    assert pairwise.answer({"pairwise": json.loads(json.dumps(wanted))}, Host()) == {"pairwise": [{"run": "r"}]}
    assert parse(wanted) == Block("r", (), 1, 2)


def test_a_line_that_never_ends_is_hung_up_on() -> None:
    with socket.create_server((address(5), BASE + 5)) as door:
        caller = socket.create_connection((address(5), BASE + 5))
        line = Line(door.accept()[0])
        caller.sendall(b"x" * 8000)
        line.wait(("never",), time.monotonic() + 5, lambda: False)
        assert line.closed
        caller.close()
        line.close()

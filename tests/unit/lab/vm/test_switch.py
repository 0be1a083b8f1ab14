"""The switch sends a frame where its receiver was last seen, to all others while it was not, and never back."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from raceway.lab.vm.switch import LONGEST_FRAME, QUEUE_LIMIT, Switch, Table, frames

A, B, C = (bytes([2, 0, 0, 0, 0, number]) for number in (1, 2, 3))
ALL = b"\xff" * 6
PORTS = ("a", "b", "c")


def frame(target: bytes, sender: bytes) -> bytes:
    return target + sender + b"\x08\x00" + b"data"


def wire(*payloads: bytes) -> bytearray:
    return bytearray(b"".join(len(data).to_bytes(4, "big") + data for data in payloads))


def test_a_frame_to_an_unknown_address_goes_to_all_others() -> None:
    assert Table[str]().targets("a", frame(B, A), PORTS) == ["b", "c"]


def test_a_receiver_that_was_heard_gets_the_frame_alone() -> None:
    table = Table[str]()
    table.targets("b", frame(ALL, B), PORTS)
    assert table.targets("a", frame(B, A), PORTS) == ["b"]


def test_a_broadcast_or_multicast_goes_to_all_others_and_is_never_learnt() -> None:
    table = Table[str]()
    assert table.targets("a", frame(ALL, A), PORTS) == ["b", "c"]
    table.targets("c", frame(A, ALL), PORTS)
    assert table.targets("a", frame(ALL, A), PORTS) == ["b", "c"]


def test_a_frame_whose_receiver_is_behind_its_own_port_goes_nowhere() -> None:
    table = Table[str]()
    table.targets("a", frame(ALL, B), PORTS)
    assert table.targets("a", frame(B, A), PORTS) == []


def test_an_address_that_moves_is_followed() -> None:
    table = Table[str]()
    table.targets("b", frame(ALL, B), PORTS)
    table.targets("c", frame(ALL, B), PORTS)
    assert table.targets("a", frame(B, A), PORTS) == ["c"]


def test_what_was_learnt_at_a_port_goes_with_it() -> None:
    table = Table[str]()
    table.targets("b", frame(ALL, B), PORTS)
    table.targets("c", frame(ALL, C), PORTS)
    table.forget("b")
    assert table.targets("a", frame(B, A), ("a", "c", "d")) == ["c", "d"]
    assert table.targets("a", frame(C, A), ("a", "c", "d")) == ["c"]


def test_frames_come_whole_however_the_stream_was_cut() -> None:
    stream, buffer, found = wire(frame(B, A), b"", frame(A, B)), bytearray(), []
    for byte in stream:
        buffer.append(byte)
        found += list(frames(buffer))
    assert found == [frame(B, A), b"", frame(A, B)]
    assert buffer == b""


def test_the_rest_of_a_cut_frame_waits() -> None:
    buffer = wire(frame(B, A), frame(A, B))[:-1]
    assert list(frames(buffer)) == [frame(B, A)]
    assert buffer == wire(frame(A, B))[:-1]


def test_a_stream_out_of_step_is_told_and_not_waited_for() -> None:
    with pytest.raises(ValueError, match="4294967295 bytes"):
        list(frames(bytearray(b"\xff" * 4)))
    assert list(frames(wire(b"x" * LONGEST_FRAME))) == [b"x" * LONGEST_FRAME]


@pytest.fixture
def switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Switch]:
    monkeypatch.chdir(tmp_path)
    made = Switch(Path("switch"))
    yield made
    for port in made.ports:
        port.socket.close()
    made.server.close()
    made.selector.close()


def plug(switch: Switch) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(switch.path))
    client.settimeout(1.0)
    settle(switch)
    return client


def settle(switch: Switch) -> None:
    while switch.turn(0.01):
        pass


def test_machines_on_the_socket_hear_what_is_meant_for_them(switch: Switch) -> None:
    first, second, third = (plug(switch) for _ in range(3))
    first.sendall(wire(frame(ALL, A)))
    settle(switch)
    assert second.recv(999) == third.recv(999) == wire(frame(ALL, A))
    second.sendall(wire(frame(A, B), b"too short", frame(A, B)))
    settle(switch)
    assert first.recv(999) == wire(frame(A, B), frame(A, B))
    with pytest.raises(TimeoutError):
        third.settimeout(0.01)
        third.recv(999)
    for one in (first, second, third):
        one.close()


def test_a_machine_that_went_away_is_forgotten_and_one_out_of_step_is_put_out(switch: Switch) -> None:
    first, second = plug(switch), plug(switch)
    first.close()
    settle(switch)
    assert len(switch.ports) == 1
    second.sendall(b"\xff" * 8)
    settle(switch)
    assert second.recv(9) == b""
    assert switch.ports == set()
    second.close()


def test_a_machine_that_does_not_listen_loses_frames_and_holds_up_nobody(switch: Switch) -> None:
    first, second = plug(switch), plug(switch)
    big = frame(ALL, A) + bytes(60000)
    for _ in range(2 * QUEUE_LIMIT // len(big)):
        first.sendall(wire(big))
        settle(switch)
    deaf = next(port for port in switch.ports if port.outgoing)
    assert deaf.drops > 0
    assert len(deaf.outgoing) < QUEUE_LIMIT + 2 * len(big)
    first.close()
    second.close()

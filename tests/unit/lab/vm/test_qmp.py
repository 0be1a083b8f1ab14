"""QEMU's control socket: answers, refusals and events, over a long path too."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab.vm.qmp import Qmp


@contextmanager
def serving(path: Path, *answers: list[dict[str, object]]) -> Iterator[None]:
    """Stand in for QEMU: greet, then give one list of messages for each command, the first for the handshake."""
    path.parent.mkdir(parents=True, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    with pytest.MonkeyPatch.context() as here:
        here.chdir(path.parent)
        server.bind(path.name)
    server.listen(1)

    def serve() -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rw") as stream:
            print(json.dumps({"QMP": {}}), file=stream, flush=True)
            for messages in ([{"return": {}}], *answers):
                stream.readline()
                for message in messages:
                    print(json.dumps(message), file=stream, flush=True)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        server.close()


def test_a_command_is_answered_past_events_and_over_a_path_too_long_for_a_socket(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 150) / "qmp"
    event = {"event": "RESUME"}
    with serving(path, [event, {"return": {"status": "running"}}]), Qmp(path, "vmlab-1") as qmp:
        assert qmp("query-status") == {"status": "running"}
        assert qmp.events == [event]


def test_a_refusal_is_told_in_qemus_words(tmp_path: Path) -> None:
    refusal = {"error": {"class": "GenericError", "desc": "Device 'x' not found"}}
    with (
        serving(tmp_path / "qmp", [refusal]),
        Qmp(tmp_path / "qmp", "vmlab-1") as qmp,
        pytest.raises(RacewayError, match="vmlab-1: device_del: Device 'x' not found"),
    ):
        qmp("device_del", {"id": "x"})


def test_an_event_is_waited_for_and_its_absence_told(tmp_path: Path) -> None:
    gone = {"event": "DEVICE_DELETED", "data": {"device": "nvme1"}}
    with serving(tmp_path / "qmp", [{"return": {}}, gone]), Qmp(tmp_path / "qmp", "vmlab-1") as qmp:
        qmp("device_del", {"id": "nvme1"})
        assert qmp.until("DEVICE_DELETED", "device", "nvme1", 5)
        assert not qmp.until("DEVICE_DELETED", "device", "nvme2", 0.1)


def test_a_qemu_that_ends_or_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="does not answer"):
        Qmp(tmp_path / "qmp", "vmlab-1")
    with (
        serving(tmp_path / "qmp", []),
        Qmp(tmp_path / "qmp", "vmlab-1") as qmp,
        pytest.raises(RacewayError, match="QEMU ended"),
    ):
        qmp("query-status")

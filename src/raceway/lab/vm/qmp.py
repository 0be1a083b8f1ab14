"""QEMU's control socket of one VM: one command at a time, events kept while waiting.

It deliberately connects through the folder's descriptor, so that the length of the path does not matter.
"""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from raceway.errors import RacewayError

TIMEOUT_S = 60.0


class Qmp:
    """``with Qmp(path, "lab-1") as qmp: qmp("system_reset")``. QEMU serves one client at a time; others wait."""

    def __init__(self, path: Path, name: str, timeout: float = TIMEOUT_S) -> None:
        self.name, self.events = name, list[dict[str, Any]]()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        try:
            folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
            try:
                self._socket.connect(f"/proc/self/fd/{folder}/{path.name}")
            finally:
                os.close(folder)
            self._stream = self._socket.makefile("rw")
            self._stream.readline()
            self("qmp_capabilities")
        except OSError as error:
            self._socket.close()
            raise RacewayError(name, f"QEMU does not answer ({error})", act="start the node, then try again") from None

    def __enter__(self) -> Qmp:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._socket.close()

    def __call__(self, command: str, arguments: dict[str, Any] | None = None) -> Any:
        """Run a command and return its answer; a refusal is a RacewayError in QEMU's words."""
        self._stream.write(json.dumps({"execute": command, "arguments": arguments or {}}) + "\n")
        self._stream.flush()
        while line := self._stream.readline():
            message = json.loads(line)
            if "event" in message:
                self.events.append(message)
            elif "error" in message:
                raise RacewayError(
                    f"{self.name}: {command}", str(message["error"]["desc"]), act="correct the command or its arguments"
                )
            else:
                return message.get("return")
        raise RacewayError(f"{self.name}: {command}", "QEMU ended", act="start the node, then try again")

    def until(self, event: str, key: str, value: str, seconds: float) -> bool:
        """Wait for an event whose ``key`` is ``value``; False when it does not come in time."""
        end = time.monotonic() + seconds
        while not any(one["event"] == event and one.get("data", {}).get(key) == value for one in self.events):
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._socket.settimeout(left)
            try:
                line = self._stream.readline()
            except OSError:
                return False
            if not line:
                return False
            self.events.append(json.loads(line))
        return True

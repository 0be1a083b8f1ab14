"""The port a plugin prints is read from a live pipe, without waiting for the end of its output."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import Any

import pytest

from raceway.tools import plugin


def process_that_prints(data: bytes, *, ended: bool) -> Any:
    reading, writing = os.pipe()
    os.write(writing, data)
    if ended:
        os.close(writing)
    return SimpleNamespace(stdout=os.fdopen(reading, "rb", buffering=0))


def test_the_port_is_read_while_the_plugin_runs_on() -> None:
    began = time.monotonic()
    assert plugin._port(process_that_prints(b"38395\nmore\n", ended=False)) == 38395
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("data", [b"", b"usage: x\n", b"12x\n"])
def test_a_program_that_prints_no_port_is_no_plugin(data: bytes) -> None:
    assert plugin._port(process_that_prints(data, ended=True)) is None


def test_a_silent_program_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "SECONDS", 0.05)
    assert plugin._port(process_that_prints(b"", ended=False)) is None

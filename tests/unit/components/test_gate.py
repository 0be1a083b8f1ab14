"""The gate between webhook configurations and what they judge."""

from __future__ import annotations

import socket

import pytest

from raceway.components.gate import wait_until_listening
from raceway.errors import RacewayError


@pytest.mark.allow("network", reason="the gate is a connection attempt")
def test_a_listener_lets_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        wait_until_listening(f"https://127.0.0.1:{server.getsockname()[1]}/x", 2)


@pytest.mark.allow("network", reason="the gate is a connection attempt")
def test_nobody_listening_is_told_with_the_address_and_the_next_act() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(RacewayError, match=f"127.0.0.1:{port} after 0 s.*start vc-webhook-manager"):
        wait_until_listening(f"https://127.0.0.1:{port}", 0.1)

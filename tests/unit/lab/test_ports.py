"""A port is free when a program could listen on it."""

from __future__ import annotations

import socket

import pytest

from raceway.lab import ports


@pytest.mark.allow("network", reason="whether a port is free only the kernel can tell")
def test_a_port_that_is_listened_on_is_not_free_and_is_again_afterwards() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        assert not ports.is_free(port)
    assert ports.is_free(port)

"""Asks the kernel whether a loopback port is free, by taking it for a moment.

It deliberately reserves nothing: what labs have been given stands in their records.
"""

from __future__ import annotations

import socket


def is_free(port: int) -> bool:
    """Could a program listen on this port of 127.0.0.1?"""
    # With SO_REUSEADDR a port in TIME_WAIT counts as free, one that is listened on does not.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True

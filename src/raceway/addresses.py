"""What a host is called: by an address, or by a name."""

from __future__ import annotations

import ipaddress


def is_address(text: str) -> bool:
    """Tell whether a text is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True

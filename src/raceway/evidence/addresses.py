"""Stand-ins for addresses: each MAC and IP address of a bundle gets a name of its own, the same one everywhere.

    10.20.1.11 -> ip-1, fe80::bace:f6ff:fe12:3456 -> ip-2, b8:ce:f6:12:34:56 -> mac-1

It deliberately keeps what names nobody: loopback, unspecified, masks, broadcast and the multicast address of pause
frames. A GUID is not an address here, though a card's GUID is made from its MAC.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, Match

_MAC = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{2}:){5}(?:(?:[0-9A-Fa-f]{2}:){14})?[0-9A-Fa-f]{2}(?![\w:])")
_IPV4 = re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.\d+){0,3}(?![\w:])")
_KEPT_MACS = ("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:01")
_KEPT_IPS = re.compile(r"127\.|0\.|255\.|::1?$")


class Addresses:
    """The names given so far."""

    def __init__(self) -> None:
        self._names: Dict[str, str] = {}
        self._numbers: Dict[str, int] = {}

    def text(self, text: str, count: Callable[[str], None]) -> str:
        """Return a text with stand-ins; ``count`` is told each one."""

        def mac(match: Match[str]) -> str:
            return match[0] if match[0].lower() in _KEPT_MACS else self._name("mac", match[0].lower(), count)

        def ip(match: Match[str]) -> str:
            value = _canonical(match[0])
            return match[0] if not value or _KEPT_IPS.match(value) else self._name("ip", value, count)

        return _IPV4.sub(ip, _IPV6.sub(ip, _MAC.sub(mac, text)))

    def _name(self, kind: str, value: str, count: Callable[[str], None]) -> str:
        count(f"{kind} address")
        if value not in self._names:
            self._numbers[kind] = self._numbers.get(kind, 0) + 1
            self._names[value] = f"{kind}-{self._numbers[kind]}"
        return self._names[value]


def _canonical(text: str) -> str:
    """Return an address in its one spelling, empty where the text is none (a time, a PCI address)."""
    import ipaddress  # not at the top: most bundles keep their addresses

    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return ""
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)

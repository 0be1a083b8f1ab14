"""Who sets an interface up: systemd-networkd, NetworkManager or ifupdown, read from the files each of them leaves.

    # /run/systemd/netif/links/3
    ADMIN_STATE=configured
    NETWORK_FILE=/run/systemd/network/10-netplan-ens1f0np0.network

    # /run/NetworkManager/devices/3
    [device]
    managed=true

    # /etc/network/interfaces
    iface ens1f0np0 inet static

It deliberately asks no daemon: what a daemon has written down is what it acts by, and a file answers at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterable, List

NETWORKD, NETWORK_MANAGER, IFUPDOWN = "systemd-networkd", "NetworkManager", "ifupdown"
SETTLED = ("configured",)
_NAMING = ("Name", "MACAddress", "PermanentMACAddress", "Path")
_STANZA = re.compile(r"^\s*iface\s+(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Owner:
    """``by``: one of the three, empty: nobody; ``file``: where it says so; ``state``: networkd's word for the link.

    ``catch_all``: the file takes any port that no other file takes, so a file of our own comes before it.
    """

    by: str = ""
    file: str = ""
    state: str = ""
    catch_all: bool = False


def networkd_link(text: str) -> Dict[str, str]:
    """Return the lines of networkd's state of a link; none where it never saw the link."""
    rows = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, equals, value in rows if equals}


def managed_by_network_manager(text: str) -> bool:
    """Tell whether NetworkManager's state of a device says that it manages it."""
    return any(line.replace(" ", "").strip().lower() == "managed=true" for line in text.splitlines())


def stanzas(texts: Iterable[str]) -> List[str]:
    """Return the interfaces that ifupdown's files set up.

    >>> stanzas(["auto eno1\\niface eno1 inet dhcp\\n# iface no inet dhcp\\n"])
    ['eno1']
    """
    return [name for text in texts for name in _STANZA.findall(text)]


def catches_all(text: str) -> bool:
    """Tell whether a .network file names no interface of its own: its match holds patterns alone, or kinds.

    >>> catches_all("[Match]\\nName=en*\\n"), catches_all("[Match]\\nName=ens1\\n"), catches_all("[Match]\\nKind=!*\\n")
    (True, False, True)
    """
    section, values = "", []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        name, equals, value = line.partition("=")
        if section == "[Match]" and equals and name.strip() in _NAMING:
            values += value.split()
    return all("*" in value or "?" in value or value.startswith("!") for value in values)

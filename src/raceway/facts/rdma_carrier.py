"""What must not break while a card is reset or an interface changes its mode: the default route and ssh connections.

Read from ``ip -j address show`` and ``ss -tnH state established``::

    [{"ifname":"bond0","addr_info":[{"family":"inet","local":"10.0.0.11","prefixlen":24}]}]
    0 0 10.0.0.11:22 10.0.0.9:51234

A route over a bond or VLAN counts for every port below it. It deliberately knows no "management interface": what
carries a session right now is what matters.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Mapping, Set, Tuple

from .reading import is_json, json_rows, lines

SSH_PORT = "22"
_PEER = re.compile(r"(\S+):([0-9]+)\s+(\S+):([0-9]+)\s*$")
_PORT = re.compile(r"^\s*port\s+([0-9]+)\s*$", re.IGNORECASE | re.MULTILINE)


def addresses(text: str) -> Dict[str, str]:
    """Return address → interface."""
    rows = _rows(text)
    return {
        str(one.get("local")): str(row.get("ifname"))
        for row in rows
        for one in row.get("addr_info", ())
        if isinstance(one, dict)
    }


def ssh_ports(*configs: str) -> Set[str]:
    """Return the ports that sshd_config files name, 22 where they name none.

    >>> sorted(ssh_ports("#Port 22\\nPort 2222\\n", "")), ssh_ports("")
    (['2222'], {'22'})
    """
    return {port for text in configs for port in _PORT.findall(text)} or {SSH_PORT}


def ssh_sessions(text: str, ports: Set[str]) -> Tuple[Tuple[str, str], ...]:
    """Return (own address, peer) of each connection to sshd.

    >>> ssh_sessions("0 0 10.0.0.11:22 10.0.0.9:51234\\n0 0 10.0.0.11:51000 10.0.0.2:443\\n", {"22"})
    (('10.0.0.11', '10.0.0.9'),)
    """
    found = [_PEER.search(line) for line in lines(text)]
    return tuple((_plain(one[1]), _plain(one[3])) for one in found if one and one[2] in ports)


def carriers(
    defaults: Iterable[str],
    sessions: Iterable[Tuple[str, str]],
    of_address: Mapping[str, str],
    below: Mapping[str, Tuple[str, ...]],
) -> Dict[str, Tuple[str, ...]]:
    """Return interface → what it carries, for the named interfaces and for all that lie below them.

    >>> carriers(["bond0"], [], {}, {"bond0": ("eth0",)})["eth0"]
    ('the default route (through bond0)',)
    """
    told: Dict[str, List[str]] = {}
    rows = [(name, "the default route") for name in defaults]
    rows += [(of_address[own], f"the ssh connection from {peer}") for own, peer in sessions if own in of_address]
    for top, what in rows:
        for name in _all_below(top, below):
            text = what if name == top else f"{what} (through {top})"
            told.setdefault(name, []).append(text)
    return {name: tuple(dict.fromkeys(texts)) for name, texts in told.items()}


def _all_below(top: str, below: Mapping[str, Tuple[str, ...]]) -> List[str]:
    found, ahead = [top], [top]
    while ahead:
        fresh = [name for name in below.get(ahead.pop(), ()) if name not in found]
        found += fresh
        ahead += fresh
    return found


def _rows(text: str) -> List[Dict[str, Any]]:
    return json_rows(text)[0] if is_json(text) else []


def _plain(address: str) -> str:
    """Return an address without brackets, scope and the prefix of mapped IPv4."""
    bare = address.strip("[]").split("%", 1)[0].strip("[]")
    return bare[len("::ffff:") :] if bare.startswith("::ffff:") and "." in bare else bare

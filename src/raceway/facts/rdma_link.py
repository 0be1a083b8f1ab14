"""What ``rdma -j link show`` says, and its text form: state of each RDMA port and the interface below it.

The newer text, the text of iproute2 before 5.2, and JSON::

    link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
    1/1: mlx5_0/1: subnet_prefix fe80:0000:0000:0000 lid 13399 sm_lid 49151 lmc 0 state ACTIVE physical_state LINK_UP
    [{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"ens1f0np0"}]

``ifindex`` is the number of the RDMA device, not of the interface. A kernel without RDMA gives nothing on the output
and ``Failed to open NETLINK_RDMA socket`` among the errors.
It deliberately ignores keys it does not know: newer iproute2 prints more of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .natural import natural
from .reading import is_json, joined, json_rows, keyed, lines, not_output_of, number, quote

STATES = ("NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER")
_KEYS = (
    "subnet_prefix",
    "lid",
    "sm_lid",
    "lmc",
    "state",
    "physical_state",
    "netdev",
    "netdev_index",
    "caps:",
)
_ROW = re.compile(r"^(?:link\s+|(?P<index>\d+)/\d+:\s+)(?P<device>[^\s/]+)/(?P<port>\d+):?(?:\s+(?P<rest>.*))?$")
_NO_STATE = "state or physical state is missing or cut off"


@dataclass(frozen=True)
class RdmaLink:
    """One port. ``link_layer``: InfiniBand where it has a LID, Ethernet where it has an interface, else empty."""

    device: str
    port: int
    state: str = ""
    physical_state: str = ""
    netdev: str = ""
    index: Optional[int] = None
    netdev_index: Optional[int] = None
    subnet_prefix: str = ""
    lid: Optional[int] = None
    sm_lid: Optional[int] = None

    @property
    def name(self) -> str:
        """The port as ``device/port``."""
        return f"{self.device}/{self.port}"

    @property
    def link_layer(self) -> str:
        """InfiniBand, Ethernet, or nothing where the output does not show it."""
        return "InfiniBand" if self.lid is not None else "Ethernet" if self.netdev else ""

    @property
    def up(self) -> bool:
        """Whether the port carries traffic."""
        return (self.state, self.physical_state) == ("ACTIVE", "LINK_UP")


@dataclass(frozen=True)
class RdmaLinkFacts:
    """Ports in natural order. No links and no problem: the kernel has no RDMA port."""

    links: Tuple[RdmaLink, ...] = ()
    problem: str = ""


def parse(text: str) -> RdmaLinkFacts:
    """Return the ports of either form."""
    rows, problems = _from_json(text) if is_json(text) else _from_text(text)
    links = sorted((_link(row) for row in rows), key=lambda link: (natural(link.device), link.port))
    problems += [f"{link.name}: {_NO_STATE}" for link in links if link.state not in STATES or not link.physical_state]
    return RdmaLinkFacts(tuple(links), joined(*problems))


def _from_json(text: str) -> Tuple[List[Mapping[str, Any]], List[str]]:
    rows: List[Mapping[str, Any]] = []
    found, problem = json_rows(text)
    problems = [problem]
    for row in found:
        # iproute2 before 5.2 writes device and port into one word.
        device, _, behind = str(row.get("ifname", "")).partition("/")
        port = number(row.get("port", behind))
        if not device or port is None:
            problems.append("an entry without device and port")
        else:
            rows.append({**row, "device": device, "port": port})
    return rows, problems


def _from_text(text: str) -> Tuple[List[Mapping[str, Any]], List[str]]:
    rows: List[Mapping[str, Any]] = []
    problems: List[str] = []
    for line in lines(text):
        found = _ROW.match(line)
        if found:
            fields: Dict[str, Any] = dict(keyed((found["rest"] or "").split(), _KEYS))
            rows.append({**fields, "device": found["device"], "port": int(found["port"]), "ifindex": found["index"]})
        elif not rows or not line.startswith((" ", "\t")):  # indented: the capabilities of -d
            problems.append(f"not understood: {quote(line)}")
    return rows, problems if rows else [not_output_of("rdma link show", text)]


def _link(row: Mapping[str, Any]) -> RdmaLink:
    return RdmaLink(
        row["device"],
        row["port"],
        _word(row, "state"),
        _word(row, "physical_state"),
        str(row.get("netdev", "")),
        number(row.get("ifindex")),
        number(row.get("netdev_index")),
        str(row.get("subnet_prefix", "")),
        number(row.get("lid")),
        number(row.get("sm_lid")),
    )


def _word(row: Mapping[str, Any], key: str) -> str:
    """Return the first word of a value: behind it may stand a key that was cut off."""
    return (str(row.get(key, "")).split() or [""])[0]

"""What ``rdma -j dev show`` says, and its text form: type, firmware and GUIDs of each RDMA device.

Text, text of a device without firmware (soft-RoCE), and JSON::

    0: mlx5_0: node_type ca fw 28.39.1002 node_guid 946d:ae03:0073:1800 sys_image_guid 946d:ae03:0073:1800
    2: rxe0: node_type ca fw node_guid 5054:00ff:fe12:3456 sys_image_guid 5054:00ff:fe12:3456
    [{"ifindex":0,"ifname":"mlx5_0","node_type":"ca","fw":"28.39.1002","node_guid":"946d:ae03:0073:1800"}]

It deliberately makes no guess at the vendor: names can be changed, so that is the PCI device's to tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

from .natural import natural
from .reading import guid, is_json, joined, json_rows, keyed, lines, not_output_of, number, quote, switch

_KEYS = ("node_type", "protocol", "fw", "node_guid", "sys_image_guid", "type", "parent", "adaptive-moderation", "caps:")
_ROW = re.compile(r"^(?P<index>\d+):\s+(?P<device>\S+):(?:\s+(?P<rest>.*))?$")


@dataclass(frozen=True)
class RdmaDevice:
    """One device. ``node_type``: ca, rnic, …; GUIDs as 16 digits; ``parent``: of a sub-device, with newer iproute2."""

    name: str
    index: Optional[int] = None
    node_type: str = ""
    protocol: str = ""
    firmware: str = ""
    node_guid: str = ""
    system_guid: str = ""
    adaptive_moderation: Optional[bool] = None
    parent: str = ""


@dataclass(frozen=True)
class RdmaDevFacts:
    """Devices in natural order. No devices and no problem: the kernel has no RDMA device."""

    devices: Tuple[RdmaDevice, ...] = ()
    problem: str = ""


def parse(text: str) -> RdmaDevFacts:
    """Return the devices of either form."""
    rows, problems = _from_json(text) if is_json(text) else _from_text(text)
    devices = sorted((_device(row) for row in rows), key=lambda device: natural(device.name))
    problems += [f"{device.name}: the node GUID is missing or cut off" for device in devices if not device.node_guid]
    return RdmaDevFacts(tuple(devices), joined(*problems))


def _from_json(text: str) -> Tuple[List[Mapping[str, Any]], List[str]]:
    rows, problem = json_rows(text)
    named = [row for row in rows if row.get("ifname")]
    return list(named), [problem, "an entry without a name" if len(named) < len(rows) else ""]


def _from_text(text: str) -> Tuple[List[Mapping[str, Any]], List[str]]:
    rows: List[Mapping[str, Any]] = []
    problems: List[str] = []
    for line in lines(text):
        found = _ROW.match(line)
        if found:
            fields = keyed((found["rest"] or "").split(), _KEYS)
            rows.append({**fields, "ifname": found["device"], "ifindex": found["index"]})
        elif rows and line.startswith((" ", "\t")):  # what -d adds on its own line
            rows[-1] = {**keyed(line.split(), _KEYS), **rows[-1]}
        else:
            problems.append(f"not understood: {quote(line)}")
    return rows, problems if rows else [not_output_of("rdma dev show", text)]


def _device(row: Mapping[str, Any]) -> RdmaDevice:
    return RdmaDevice(
        str(row["ifname"]),
        number(row.get("ifindex")),
        str(row.get("node_type", "")),
        str(row.get("protocol", "")),
        str(row.get("fw", "")),
        guid(str(row.get("node_guid", ""))),
        guid(str(row.get("sys_image_guid", ""))),
        switch(row.get("adaptive-moderation")),
        str(row.get("parent", "")),
    )

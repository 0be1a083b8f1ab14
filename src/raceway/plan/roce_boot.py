"""The files that set RoCE ports when they appear: a udev rule that names the ports, a unit, and the stored request.

The unit runs the node program that converges ran, with the same request, so boot does what the role does. A rule for
each port makes it run at boot and again when a driver was reloaded or a card was reset: an instance for each device, as
a unit that is just running is not started again for the port that came last.
It deliberately holds only what was consented to: a port whose steps wait for consent is set by no boot either, unless
an earlier consent is stored for it, and then as it was declared at that time.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..facts.roce import RoceFacts
from ..model.plan import DISRUPTIVE, SAFE, Plan, join
from ..model.qos import to_spec
from ..model.roce import Port, RoceDesired, ports_of
from ..model.roce_buffer import HEADROOM
from .boot_run import LAUNCHER_LINES
from .dropin import plan_file, render

RULE = "/etc/udev/rules.d/90-raceway-roce.rules"
# A template: udev names no instance, so systemd makes one of the device's path.
UNIT = "/etc/systemd/system/raceway-roce@.service"
REQUEST = "/etc/raceway/boot/roce.json"
LAUNCHER = "/etc/raceway/boot/run.py"
FILES = (RULE, UNIT, REQUEST, LAUNCHER)
# Which event brings a port, by selector. Its RDMA device appears after its interface, and has settings of its own.
MATCH = {
    "pci": 'SUBSYSTEM=="net|infiniband", KERNELS=="{value}"',
    "mac": 'SUBSYSTEM=="net", ATTR{{address}}=="{value}"',
    "guid": 'SUBSYSTEM=="infiniband", ATTR{{node_guid}}=="{value}"',
}
ANY_RDMA = 'SUBSYSTEM=="infiniband"'  # an RDMA device does not tell the MAC address of its port
# One request of a boot: the ports' rows, and everything else of the spec.
Group = Tuple[List[Dict[str, Any]], Dict[str, Any]]
WHY = "the kernel forgets these settings at every boot and driver reload"
UNIT_LINES = (
    "[Unit]",
    "Description=Set RoCE ports as declared (raceway), for %f",
    "# Before what uses the ports; the settings themselves need no address.",
    "Before=network-online.target",
    "",
    "[Service]",
    "Type=oneshot",
    f"ExecStart=/usr/bin/env python3 -I {LAUNCHER} {REQUEST} %f",
)


def plan_boot(
    desired: RoceDesired, good: Sequence[Port], held: Sequence[Port], facts: RoceFacts
) -> Tuple[Plan, Set[str]]:
    """Return what makes the files hold the ports that may be set at boot, and the labels of the held ones they keep.

    ``good``: set, or about to be; ``held``: steps wait for consent.
    """
    body = _body(desired)
    groups: List[Group] = [([_row(port, desired, facts) for port in good], body)]
    kept: Set[str] = set()
    stored = _stored(facts.files.get(REQUEST))
    for port in held:
        if port.label not in stored:
            continue
        kept.add(port.label)
        row, earlier = stored[port.label]
        same = next((rows for rows, other in groups if other == earlier), None)
        if same is None:
            groups.append(([row], earlier))
        else:
            same.append(row)
    groups = [(rows, spec) for rows, spec in groups if rows] if desired.persist else []
    files = boot_files(groups)
    if not groups and all(facts.files.get(path) is None for path in files):
        return Plan(), kept
    return join([plan_file(path, text, facts.files.get(path), WHY) for path, text in sorted(files.items())]), kept


def boot_files(groups: Sequence[Group]) -> Dict[str, str]:
    """Return path → text; every text is empty where no port is to be set."""
    if not groups:
        return dict.fromkeys(FILES, "")
    roles = {}
    for number, (rows, body) in enumerate(groups):
        name = "roce" if not number else f"roce_earlier_{number}"
        roles[name] = {"allow": [SAFE, DISRUPTIVE], "nouns": {"roce": {**body, "ports": rows}}}
    ports = [port for rows, _ in groups for port in ports_of({"ports": rows})]
    return {
        RULE: render("roce", _rules(ports)),
        UNIT: render("roce", UNIT_LINES),
        REQUEST: json.dumps({"mode": "apply", "roles": roles}, indent=1, sort_keys=True) + "\n",
        LAUNCHER: render("roce", LAUNCHER_LINES),
    }


def _rules(ports: Sequence[Port]) -> List[str]:
    start = 'TAG+="systemd", ENV{SYSTEMD_WANTS}+="raceway-roce@.service"'
    matches = [MATCH[port.by].format(value=port.value) for port in ports]
    matches += [ANY_RDMA] if any(port.by == "mac" for port in ports) else []
    # Not only add: a port that udev renames is announced again as moved, and what the first event wanted is forgotten.
    return [f'ACTION!="remove", {match}, {start}' for match in matches]


def _body(desired: RoceDesired) -> Dict[str, Any]:
    return {
        "qos": to_spec(desired.qos),
        "platform": desired.platform,
        "buffer": desired.buffer,
        "consent": True,
        "boot": True,
    }


def _row(port: Port, desired: RoceDesired, facts: RoceFacts) -> Dict[str, Any]:
    row: Dict[str, Any] = {port.by: port.value, "rail": port.rail}
    speed = facts.ports[port.label].speed_mbps or port.speed_mbps
    # A link that is not up yet has no speed, and the division of its buffer needs one.
    return {**row, "speed_mbps": speed} if desired.buffer == HEADROOM and speed else row


def stored_speeds(facts: RoceFacts) -> Dict[str, int]:
    """Return label → Mb/s of the links whose speed the stored request holds."""
    rows = {label: row.get("speed_mbps") for label, (row, _) in _stored(facts.files.get(REQUEST)).items()}
    return {label: speed for label, speed in rows.items() if speed}


def _stored(text: Optional[str]) -> Dict[str, Tuple[Dict[str, Any], Dict[str, Any]]]:
    """Return label → (row, rest of the spec) of the request now stored; nothing of one that cannot be read."""
    found: Dict[str, Tuple[Dict[str, Any], Dict[str, Any]]] = {}
    try:
        roles = json.loads(text or "{}").get("roles", {})
        for role in roles.values():
            spec = dict(role["nouns"]["roce"])
            rows = spec.pop("ports")
            found.update({port.label: (row, spec) for row, port in zip(rows, ports_of({"ports": rows}))})
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return {}
    return found

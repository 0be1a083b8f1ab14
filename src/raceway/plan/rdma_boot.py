"""The files that set again what the kernel forgets: names, read requests, ACS and IPoIB, when a device appears.

The unit runs the node program that converges ran, with a request of these things alone. Firmware, limits and the subnet
manager keep what they were given and have no part in it. The unit is a template: udev names no instance, so systemd
makes one of each device's path, and a device that comes while another is set is not forgotten.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Dict, List

from ..facts.rdma import RdmaFacts
from ..model.plan import DISRUPTIVE, SAFE, Plan, join
from ..model.rdma import CLEAR, LEAVE, Device, RdmaDesired
from ..model.selector import PCI
from .boot_run import LAUNCHER_LINES
from .dropin import render
from .rdma_part import own_file

RULE = "/etc/udev/rules.d/90-raceway-rdma.rules"
UNIT = "/etc/systemd/system/raceway-rdma@.service"
REQUEST = "/etc/raceway/boot/rdma.json"
LAUNCHER = "/etc/raceway/boot/run-rdma.py"
FILES = (RULE, UNIT, REQUEST, LAUNCHER)
WHY = "the kernel forgets these settings at every boot and driver reload"
UNIT_LINES = (
    "[Unit]",
    "Description=Set RDMA devices as declared (raceway)",
    "Before=network-online.target",
    "",
    "[Service]",
    "Type=oneshot",
    f"ExecStart=/usr/bin/env python3 -I {LAUNCHER} {REQUEST}",
)
START = 'TAG+="systemd", ENV{SYSTEMD_WANTS}+="raceway-rdma@.service"'


def boot(desired: RdmaDesired, facts: RdmaFacts, steps: Plan) -> Plan:
    """Return the plan of the four files; ``steps``: what the settings in them need now.

    Files that will do at boot what waits for consent today wait with it.
    """
    texts = dict.fromkeys(FILES, "")
    if desired.persist and _forgotten(desired):
        request = {"mode": "apply", "roles": {"rdma": {"allow": [SAFE, DISRUPTIVE], "nouns": {"rdma": spec(desired)}}}}
        texts = {
            RULE: render("rdma", [_rule(device) for device in desired.devices]),
            UNIT: render("rdma", UNIT_LINES),
            REQUEST: json.dumps(request, indent=1, sort_keys=True) + "\n",
            LAUNCHER: render("rdma", LAUNCHER_LINES),
        }
    made = join([own_file(path, text, facts, WHY) for path, text in sorted(texts.items())])
    waits = any(step.risk == DISRUPTIVE for step in steps.steps)
    return replace(made, steps=tuple(replace(step, risk=DISRUPTIVE) for step in made.steps)) if waits else made


def spec(desired: RdmaDesired) -> Dict[str, Any]:
    """Return the spec of the boot's run: what is forgotten, and nothing else."""
    devices: List[Dict[str, Any]] = [{one.by: one.value, "rail": one.rail, "name": one.name} for one in desired.devices]
    rows = [{"rail": r.rail, "port": r.port, "mode": r.mode, "mtu": r.mtu, "pkey": r.pkey} for r in desired.ipoib]
    return {
        "devices": devices,
        "ipoib": rows,
        "acs": CLEAR if desired.acs == CLEAR else LEAVE,
        "read_request": desired.read_request,
        "platform": desired.platform,
        "boot": True,
    }


def _forgotten(desired: RdmaDesired) -> bool:
    named = any(device.name for device in desired.devices)
    return bool(desired.devices) and bool(named or desired.ipoib or desired.acs == CLEAR or desired.read_request)


def _rule(device: Device) -> str:
    # An IPoIB interface comes after its device and has settings of its own.
    match = 'SUBSYSTEM=="infiniband", ATTR{node_guid}=="' + device.value + '"'
    if device.by == PCI:
        match = f'SUBSYSTEM=="infiniband|net", KERNELS=="{device.value}"'
    return f'ACTION!="remove", {match}, {START}'

"""The files that set RoCE ports when they appear: a udev rule that names the ports, a unit, and the stored request.

The unit runs the node program that converges ran, with the same request, so boot does what the role does. A rule for
each port makes it run at boot and again when a driver was reloaded or a card was reset.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Sequence

from ..model.plan import DISRUPTIVE, SAFE
from ..model.roce import Port
from .dropin import render

RULE = "/etc/udev/rules.d/90-raceway-roce.rules"
UNIT = "/etc/systemd/system/raceway-roce.service"
REQUEST = "/etc/raceway/boot/roce.json"
LAUNCHER = "/etc/raceway/boot/run.py"
FILES = (RULE, UNIT, REQUEST, LAUNCHER)
BUNDLES = "/var/lib/raceway/bundles"
# Which event brings a port, by selector. The node GUID belongs to the RDMA device, which appears after its interface.
MATCH = {
    "pci": 'SUBSYSTEM=="net", KERNELS=="{value}"',
    "mac": 'SUBSYSTEM=="net", ATTR{{address}}=="{value}"',
    "guid": 'SUBSYSTEM=="infiniband", ATTR{{node_guid}}=="{value}"',
}
UNIT_LINES = (
    "[Unit]",
    "Description=Set RoCE ports as declared (raceway)",
    "# Before what uses the ports; the settings themselves need no address.",
    "Before=network-online.target",
    "",
    "[Service]",
    "Type=oneshot",
    f"ExecStart=/usr/bin/env python3 -I {LAUNCHER} {REQUEST}",
)
LAUNCHER_LINES = (
    '"""Runs the newest node program with a stored request; exit 1 where something is refused or left."""',
    "import json",
    "import os",
    "import sys",
    "",
    f'HOME = "{BUNDLES}"',
    'bundles = [os.path.join(HOME, name) for name in os.listdir(HOME) if not name.startswith(".")]',
    "sys.path.insert(0, max(bundles, key=os.path.getmtime))",
    "from raceway.node.entry import call",
    "",
    "with open(sys.argv[1]) as stream:",
    '    answer = call({"request": json.load(stream)})',
    'for row in answer.get("applied", ()):',
    '    print(row["what"])',
    'late = [plan["refusals"] for plan in answer.get("roles", {}).values()]',
    'wrong = [row for rows in late for row in rows] + answer.get("refused", []) + answer.get("remaining", [])',
    "for row in wrong:",
    '    print(row["target"], row.get("reason") or row.get("what"), file=sys.stderr)',
    'sys.exit(answer.get("msg") or (1 if wrong else 0))',
)


def boot_files(ports: Sequence[Port], spec: Mapping[str, Any]) -> Dict[str, str]:
    """Return path → text; every text is empty where no port is declared."""
    if not ports:
        return dict.fromkeys(FILES, "")
    allow = [SAFE, DISRUPTIVE]  # a port that appears carries nothing yet
    request = {"mode": "apply", "roles": {"roce": {"allow": allow, "nouns": {"roce": dict(spec)}}}}
    start = 'TAG+="systemd", ENV{SYSTEMD_WANTS}+="raceway-roce.service"'
    # Not only add: a port that udev renames is announced again as moved, and what the first event wanted is forgotten.
    rules = [f'ACTION!="remove", {MATCH[port.by].format(value=port.value)}, {start}' for port in ports]
    return {
        RULE: render("roce", rules),
        UNIT: render("roce", UNIT_LINES),
        REQUEST: json.dumps(request, indent=1, sort_keys=True) + "\n",
        LAUNCHER: render("roce", LAUNCHER_LINES),
    }

"""The program that boot units start: it runs the newest node program with a stored request.

A converge and a boot thus do the same by the same code. It deliberately needs nothing but the Python of the node, and
says by its exit code whether something was refused or left.
"""

from __future__ import annotations

BUNDLES = "/var/lib/raceway/bundles"
# A second argument names what has appeared: an interface or a device, as a path of sysfs or a bare name.
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
    "    request = json.load(stream)",
    "for name in sys.argv[2:3]:",
    '    for role in request["roles"].values():',
    '        for noun in role["nouns"].values():',
    '            noun["only"] = os.path.basename(name)',
    'answer = call({"request": request})',
    'for row in answer.get("applied", ()):',
    '    print(row["what"])',
    'late = [plan["refusals"] for plan in answer.get("roles", {}).values()]',
    'wrong = [row for rows in late for row in rows] + answer.get("refused", []) + answer.get("remaining", [])',
    "for row in wrong:",
    '    print(row["target"], row.get("reason") or row.get("what"), file=sys.stderr)',
    'sys.exit(answer.get("msg") or (1 if wrong else 0))',
)

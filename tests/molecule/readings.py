#!/usr/bin/env python3
"""Reads a node by its own means: runs each command, and fails naming every one that does not show what it should.

Argument: the readings, ``[{"command": …, "shows": …}]``, as JSON in base64. Standard library only; it runs on the node,
once for all readings, as each module call costs more than the reading itself.
"""

import base64
import json
import shlex
import subprocess
import sys

LIMIT_S = 60


def main() -> int:
    """Run the readings; print one line for each that is wrong."""
    wrong = 0
    readings = json.loads(base64.b64decode(sys.argv[1]))
    for reading in readings:
        words = shlex.split(reading["command"])
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
            shown = done.stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            shown = str(error)
        if reading["shows"] not in shown:
            wrong += 1
            print(f"{reading['command']}: shows {shown.strip()!r}, wanted {reading['shows']!r}", file=sys.stderr)
    return 1 if wrong or not readings else 0


if __name__ == "__main__":
    raise SystemExit(main())

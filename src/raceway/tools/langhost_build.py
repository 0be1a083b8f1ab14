"""Makes the language host as an executable folder: the start script and a copy of its package.

The start script holds the path of the interpreter that made it, because that one has the Pulumi SDK. It
deliberately follows links to itself: a folder of links on PATH must find the files that lie beside the real one.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from .pins import Tool

START = """#!/bin/sh
# Starts raceway's Python language host with the interpreter it was made for.
python={python}
if [ ! -x "$python" ]; then
    echo "$python is gone; next: run raceway tools build {name}" >&2
    exit 1
fi
exec "$python" "$(dirname "$(readlink -f "$0")")/langhost" "$@"
"""


def make(tool: Tool, work: Path) -> Path:
    """Write the host into a new folder under ``work`` and return it."""
    made = work / "out"
    made.mkdir()
    shutil.copytree(tool.family.folder, made / "langhost", ignore=shutil.ignore_patterns("__pycache__"))
    start = made / tool.name
    start.write_text(START.format(python=shlex.quote(sys.executable), name=tool.name), encoding="utf-8")
    start.chmod(0o755)
    return made

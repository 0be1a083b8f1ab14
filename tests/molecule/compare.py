#!/usr/bin/env python3
"""Keeps a node's snapshot, or compares one with the kept: prints each difference and fails where there is one.

The snapshot comes on standard input, the file of the kept one is named. Standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def differences(before: Any, after: Any, place: str = "") -> list[str]:
    """Return ``place: before → after`` for everything that is not the same."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted(before.keys() | after.keys())
        return [row for key in keys for row in differences(before.get(key), after.get(key), f"{place} {key}".strip())]
    return [] if before == after else [f"{place}: {before!r} → {after!r}"]


def main() -> int:
    """``compare.py keep FILE`` or ``compare.py same FILE``."""
    act, name = sys.argv[1:3]
    now = json.load(sys.stdin)
    if act == "keep":
        Path(name).write_text(json.dumps(now))
        return 0
    rows = differences(json.loads(Path(name).read_text()), now)
    print("\n".join(rows), file=sys.stderr)
    return 1 if rows or not now["files"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

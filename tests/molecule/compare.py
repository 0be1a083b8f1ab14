#!/usr/bin/env python3
"""Compares two snapshots of a node: prints each difference and fails where there is one. Standard library only."""

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
    """Compare the two files named on the command line."""
    before, after = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    rows = differences(before, after)
    print("\n".join(rows), file=sys.stderr)
    return 1 if rows or not before["files"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

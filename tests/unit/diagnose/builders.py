"""Builders of bundles as a node sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raceway.evidence.manifest import Row, manifest, pack


def make_change(counter: str, change: int = 5) -> dict[str, Any]:
    return {"counter": counter, "before": 100, "after": 100 + change, "change": change}


def make_bundle(path: Path, *changes: Mapping[str, Any], rows: tuple[Row, ...] = (), **about: Any) -> Path:
    """Write a bundle with these moved counters and further rows."""
    deltas = json.dumps({"seconds": 10.0, "problems": [], "changes": list(changes)}).encode()
    whole = [Row("deltas.json", "the two readings", data=deltas), *rows]
    data = manifest(whole, {"host": "gpu01", "collected_at": "2026-12-01T10:00:00Z", "removed": {}, **about})
    path.write_bytes(pack(whole, data, "gpu01", 0))
    return path

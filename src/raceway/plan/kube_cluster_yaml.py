"""Plain data as YAML that people read: block style, texts in quotes where another reader could take them otherwise.

It deliberately writes only what the configuration of a cluster is made of (no anchors, no long texts), so that the
node half needs no library for it.
"""

from __future__ import annotations

import json
import re
from typing import Any, List, Mapping, Sequence

# Words no YAML reader takes for a number, a date, a truth value or null.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/._-]*( [A-Za-z0-9/._-]+)*")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "inf", "nan"})


def documents(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return documents one after the other, as kubeadm reads them."""
    return "---\n".join("\n".join(_lines(row, 0)) + "\n" for row in rows)


def _lines(value: Any, depth: int) -> List[str]:
    pad = "  " * depth
    if isinstance(value, Mapping):
        rows: List[str] = []
        for key, one in value.items():
            rows += _entry(f"{pad}{_scalar(key)}:", one, depth)
        return rows
    rows = []
    for one in value:
        if isinstance(one, (Mapping, list, tuple)) and one:
            inner = _lines(one, depth + 1)
            rows += [f"{pad}- {inner[0].lstrip()}", *inner[1:]]
        else:
            rows.append(f"{pad}- {_scalar(one)}")
    return rows


def _entry(start: str, value: Any, depth: int) -> List[str]:
    if isinstance(value, (Mapping, list, tuple)) and value:
        # The rows of a list stand below their key, at its depth.
        return [start, *_lines(value, depth + (1 if isinstance(value, Mapping) else 0))]
    return [f"{start} {_scalar(value)}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value)

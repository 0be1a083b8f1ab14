"""What the node looked like before raceway touched it, so that removal gives back what was there.

One JSON file on the node: noun → target → what was found. An entry is written *before* the change it belongs
to and dropped after the thing was restored; an interrupted run therefore never forgets an original.
It deliberately keeps the first value only: a second change of the same target must not overwrite the original.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping

from .machine import Host

LEDGER_PATH = "/var/lib/raceway/ledger.json"


class Ledger:
    """The originals of one node. ``owned(noun)`` is a fact for planners; handlers call remember and forget."""

    def __init__(self, host: Host, path: str = LEDGER_PATH) -> None:
        self._host = host
        self._path = path
        text = host.read(path)
        self._entries: Dict[str, Dict[str, Any]] = json.loads(text) if text else {}

    def owned(self, noun: str) -> Mapping[str, Any]:
        """Return target → original of everything of this noun that raceway has taken over."""
        return dict(self._entries.get(noun, {}))

    def remember(self, noun: str, target: str, original: Any) -> None:
        """Record the original of a target unless one is recorded already; on disk when this returns."""
        rows = self._entries.setdefault(noun, {})
        if target not in rows:
            rows[target] = original
            self._save()

    def remember_all(self, noun: str, originals: Mapping[str, Any]) -> None:
        """Record many originals with one write (a first converge takes over dozens of settings at once)."""
        rows = self._entries.setdefault(noun, {})
        new = {target: original for target, original in originals.items() if target not in rows}
        if new:
            rows.update(new)
            self._save()

    def forget(self, noun: str, target: str) -> None:
        """Drop a restored target; the file goes with the last entry."""
        rows = self._entries.get(noun, {})
        if target not in rows:
            return
        del rows[target]
        if not rows:
            del self._entries[noun]
        self._save()

    def _save(self) -> None:
        if self._entries:
            self._host.write(self._path, json.dumps(self._entries, indent=1, sort_keys=True) + "\n", mode=0o600)
        else:
            self._host.remove(self._path)

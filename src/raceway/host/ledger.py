"""What the node looked like before raceway touched it, so that removal gives back what was there.

One JSON file on the node: noun → target → what was found. An entry is written *before* the change it belongs
to and dropped after the thing was restored; an interrupted run therefore never forgets an original.
It deliberately keeps the first value only: a second change of the same target must not overwrite the original. And a
ledger that is there but cannot be read stops the run: to go on without it would forget every original.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping

from ..errors import RacewayError
from .machine import Host

LEDGER_PATH = "/var/lib/raceway/ledger.json"


class Ledger:
    """The originals of one node. ``owned(noun)`` is a fact for planners; handlers call remember and forget."""

    def __init__(self, host: Host, path: str = LEDGER_PATH) -> None:
        self._host = host
        self._path = path
        self._entries = _load(host, path)

    def owned(self, noun: str) -> Mapping[str, Any]:
        """Return target → original of everything of this noun that raceway has taken over."""
        return dict(self._entries.get(noun, {}))

    def remember(self, noun: str, target: str, original: Any) -> None:
        """Record the original of a target unless one is recorded already; on disk when this returns."""
        self.remember_all(noun, {target: original})

    def remember_all(self, noun: str, originals: Mapping[str, Any]) -> None:
        """Record many originals with one write (a first converge takes over dozens of settings at once)."""
        rows = self._entries.setdefault(noun, {})
        new = {target: original for target, original in originals.items() if target not in rows}
        if not new:
            return
        rows.update(new)
        try:
            self._save()
        except OSError:
            # What is not on disk counts as not recorded: the next handler must fail as well instead of going on.
            for target in new:
                del rows[target]
            raise

    def forget(self, noun: str, target: str) -> None:
        """Drop a restored target; the file goes with the last entry."""
        self.forget_all(noun, [target])

    def forget_all(self, noun: str, targets: List[str]) -> None:
        """Drop restored targets with one write."""
        rows = self._entries.get(noun, {})
        known = [target for target in targets if target in rows]
        for target in known:
            del rows[target]
        if known:
            self._save()

    def _save(self) -> None:
        entries = {noun: rows for noun, rows in self._entries.items() if rows}
        if entries:
            self._host.write(self._path, json.dumps(entries, indent=1, sort_keys=True) + "\n", mode=0o600)
        else:
            self._host.remove(self._path)


def _load(host: Host, path: str) -> Dict[str, Dict[str, Any]]:
    text = host.read(path)
    if text is None and not host.exists(path):
        return {}
    try:
        entries = json.loads(text or "")
    except ValueError:
        entries = None
    if isinstance(entries, dict) and all(isinstance(rows, dict) for rows in entries.values()):
        return entries
    holds = "it holds what the node looked like before raceway"
    if text is None:
        raise RacewayError(path, f"cannot be read; {holds}", act="run as root (become: true)")
    raise RacewayError(
        path, f"is no ledger of raceway; {holds}", act="put it back from a backup, or move it away to start anew"
    )

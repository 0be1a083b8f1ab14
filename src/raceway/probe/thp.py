"""Reads the two files of transparent huge pages and whoever else writes them at boot."""

from __future__ import annotations

from ..facts.thp import ThpFacts, parse_choice
from ..host import Host, Ledger
from ..model.thp import FOLDER, ThpDesired
from .bootwriter import tmpfiles, tuned


def probe(host: Host, desired: ThpDesired, ledger: Ledger) -> ThpFacts:
    """Return the facts the thp planner compares with ``desired``."""
    texts = {name: host.read(f"{FOLDER}/{name}") for name in ("enabled", "defrag")}
    return ThpFacts(
        choices={name: parse_choice(text) for name, text in texts.items() if text},
        own_file=host.read(desired.file),
        tmpfiles=tmpfiles(host) if desired.knobs else (),
        tuned=tuned(host) if desired.knobs else (),
        owned=ledger.owned("thp"),
    )

"""Says who would overwrite a value in /sys at boot, for the nouns that keep theirs by a tmpfiles.d line."""

from __future__ import annotations

from typing import List, Sequence

from ..facts.bootwriter import BootWrite, writes
from ..model.plan import Refusal


def conflicts(
    target: str, path: str, value: str, own_file: str, tmpfiles: Sequence[BootWrite], variable: str
) -> List[Refusal]:
    """Return a refusal for the tmpfiles.d line systemd takes instead of ours: for one path the first name counts."""
    name = own_file.rsplit("/", 1)[1]
    earlier = [r for r in tmpfiles if writes(r, path) and r.file.rsplit("/", 1)[1] < name]
    if not earlier or earlier[0].value == value:
        return []
    row = earlier[0]
    reason = f"{row.file}:{row.line} writes {row.value} at boot, its name comes before ours: {value} would not last"
    return [Refusal(target, reason, f"remove that line, or set {variable}: {row.value}")]


def tuned_conflicts(target: str, option: str, value: str, tuned: Sequence[BootWrite], variable: str) -> List[Refusal]:
    """Return a refusal where the active TuneD profile sets another value after boot (``a|b``: the first that works)."""
    rows = [row for row in tuned if row.path == option and value != row.value.split("|")[0]]
    return [
        Refusal(
            target,
            f"{row.file}:{row.line} ({option} = {row.value}) is put in force by TuneD after boot",
            f"choose a TuneD profile without it, or set {variable}: {row.value.split('|')[0]}",
        )
        for row in rows
    ]

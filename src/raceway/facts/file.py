"""What stands at each declared path now, and which paths raceway has taken over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Mapping, Optional


@dataclass(frozen=True)
class FileFact:
    """``kind``: file, dir, link, other, or empty where nothing is. ``owner_ids``/``group_ids``: name and number.

    ``blocked_by``: the nearest existing part of the path where it is no folder.
    """

    kind: str = ""
    content: Optional[str] = field(default=None, repr=False)
    mode: int = 0
    owner_ids: FrozenSet[str] = frozenset()
    group_ids: FrozenSet[str] = frozenset()
    blocked_by: str = ""


@dataclass(frozen=True)
class FileFacts:
    """``found`` by path; ``owned``: originals in the ledger; ``taken``: path → what of raceway writes it."""

    found: Mapping[str, FileFact] = field(default_factory=dict)
    owned: Mapping[str, object] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)

"""Where a value was written: file, line and column, or words when there is no line to point at.

It deliberately knows nothing of Ansible's own tags: ``ansible_api`` translates them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

# Ansible describes the output of an inventory script as <inventory script output from '/path/hosts.py'>.
_SCRIPT = re.compile(r"inventory (?:script output from|plugin \S+ with source) '([^']+)'")


@dataclass(frozen=True, order=True)
class Origin:
    """A place in a file. ``line`` is 0 where unknown; ``note`` says what kind of place it is when there is no line."""

    file: str = ""
    line: int = 0
    column: int = 0
    note: str = ""

    def __str__(self) -> str:
        place = shorten(self.file) or self.note or "unknown place"
        if self.line:
            return f"{place}:{self.line}"
        return f"{place} ({self.note})" if self.note and self.file else place


def from_description(text: str) -> Origin:
    """Return the origin behind the words Ansible uses where it has no line (scripts and plugins)."""
    match = _SCRIPT.search(text)
    if match is None:
        return Origin(note=text.strip("<>"))
    return Origin(file=match.group(1), note="its output" if "script" in text else "")


def shorten(path: str) -> str:
    """Return ``path`` relative to the working directory when it lies below it: what a reader would type."""
    if not path.startswith(os.sep):
        return path
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith(os.pardir) else relative


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts node2 before node10.

    >>> sorted(["node10", "node2", "Node1"], key=natural)
    ['Node1', 'node2', 'node10']
    """
    words = re.split(r"(\d+)", name.lower())
    return tuple((1, int(word), "") if word.isdigit() else (0, 0, word) for word in words if word)

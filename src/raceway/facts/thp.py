"""What the kernel says about transparent huge pages: one line that lists every choice, the one in force in brackets.

Input is /sys/kernel/mm/transparent_hugepage/{enabled,defrag}::

    always [madvise] never
    always defer defer+madvise [madvise] never

It deliberately does not look at per-size folders (``hugepages-64kB``): they say ``inherit`` unless someone set them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

from .bootwriter import BootWrite


@dataclass(frozen=True)
class Choice:
    """One of the two files: the value in force and everything the kernel offers."""

    value: str
    offered: Tuple[str, ...]


@dataclass(frozen=True)
class ThpFacts:
    """Choices by file name, our boot file, other writers at boot, originals we keep."""

    choices: Mapping[str, Choice] = field(default_factory=dict)
    own_file: Optional[str] = None
    tmpfiles: Tuple[BootWrite, ...] = ()
    tuned: Tuple[BootWrite, ...] = ()
    owned: Mapping[str, str] = field(default_factory=dict)


def parse_choice(text: str) -> Choice:
    """Return the choice in brackets and all that is offered.

    >>> parse_choice("always [madvise] never\\n")
    Choice(value='madvise', offered=('always', 'madvise', 'never'))
    """
    words = text.split()
    value = next((word.strip("[]") for word in words if word.startswith("[")), "")
    return Choice(value, tuple(word.strip("[]") for word in words))

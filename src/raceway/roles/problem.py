"""One thing wrong with a role's variables, before it is known where the variable was written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """``variable`` by full name; the other parts as in RacewayError. ``severity`` is ``error`` or ``warning``."""

    variable: str
    found: str
    allowed: str = ""
    act: str = ""
    severity: str = "error"

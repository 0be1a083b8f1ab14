"""Judges the selector of a declared row: exactly one, and of the shape sysfs has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model import selector
from .problem import Problem


def selected(
    variable: str, row: Mapping[str, Any], allowed: Sequence[str], what: str
) -> tuple[str | None, list[Problem]]:
    """Return the value of a row's selector and what is wrong with it; None where it does not give exactly one.

    ``what``: how the row is called, such as device or rail; ``row`` has a ``rail``, by which messages name it.
    """
    given, label = selector.given(row, allowed), f"rail {row['rail']}"
    if len(given) != 1:
        found = f"{label}: {' and '.join(given) or 'none of them'}"
        act = f"select each {what} by one of them"
        return None, [Problem(variable, found, f"exactly one of {', '.join(allowed)}", act)]
    value = str(row[given[0]])
    told = selector.wrong(given[0], value)
    return value, [Problem(variable, f"{label}: {given[0]} {value}", told, "copy it from sysfs")] if told else []

"""Rules between variables that argument specs can say: exclusive, together, one of, if, by.

It deliberately takes plain names and values, so that the same code serves a role's variables and a dict's keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from raceway.inventory.specs import Constraints
from raceway.inventory.values import show

Row = tuple[str, str, str]  # variable, what was found, next act


def problems_between(rules: Constraints, given: Mapping[str, Any], counted: Collection[str] | None = None) -> list[Row]:
    """Return every broken rule. ``counted`` limits which names count as given for exclusive and one-of rules
    (a role's defaults are always there, but nobody chose them)."""
    chosen = {name for name, value in given.items() if value is not None}
    said = chosen if counted is None else chosen & set(counted)
    return [
        *_exclusive(rules, said),
        *_together(rules, said),
        *_one_of(rules, chosen),
        *_if(rules, given, chosen),
        *_by(rules, said, chosen),
    ]


def _exclusive(rules: Constraints, said: set[str]) -> list[Row]:
    rows = []
    for group in rules.mutually_exclusive:
        both = [name for name in group if name in said]
        if len(both) > 1:
            rows.append((both[0], f"given together with {', '.join(both[1:])}", f"keep one of {', '.join(group)}"))
    return rows


def _together(rules: Constraints, said: set[str]) -> list[Row]:
    rows = []
    for group in rules.required_together:
        missing = [name for name in group if name not in said]
        given = [name for name in group if name in said]
        if given and missing:
            rows.append((given[0], f"given without {', '.join(missing)}", f"add {', '.join(missing)}"))
    return rows


def _one_of(rules: Constraints, chosen: set[str]) -> list[Row]:
    return [
        (group[0], f"none of {', '.join(group)} is given", "give one of them")
        for group in rules.required_one_of
        if not chosen & set(group)
    ]


def _if(rules: Constraints, given: Mapping[str, Any], chosen: set[str]) -> list[Row]:
    rows = []
    for name, value, needed, *any_of in rules.required_if:
        if given.get(name) != value or name not in chosen:
            continue
        missing = [one for one in needed if one not in chosen]
        enough = len(missing) < len(needed) if any_of and any_of[0] else not missing
        if not enough:
            rows.append((name, f"{show(value)} needs {', '.join(missing)}", f"add {', '.join(missing)}"))
    return rows


def _by(rules: Constraints, said: set[str], chosen: set[str]) -> list[Row]:
    rows = []
    for name, needed in rules.required_by.items():
        missing = [one for one in needed if one not in chosen]
        if name in said and missing:
            rows.append((name, f"given without {', '.join(missing)}", f"add {', '.join(missing)}"))
    return rows

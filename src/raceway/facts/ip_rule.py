"""What ``ip -N -j rule show`` says: which packets look in which table, in the order the kernel asks.

    [{"priority":0,"src":"all","table":"255"},{"priority":1000,"src":"10.1.0.11","table":"1000"},
     {"priority":1001,"src":"10.2.0.0","srclen":24,"table":"1001"},{"priority":32766,"src":"all","table":"254"}]

Without -N the three tables of the kernel have names. It deliberately tells rules that look at more than the source
apart: they are never taken for one that looks at the source alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

from ..model.route import DEFAULT_TABLE, LOCAL, MAIN, Rule, prefix
from .reading import Row, is_json, joined, json_rows, not_output_of, number

TABLES = {"main": MAIN, "local": LOCAL, "default": DEFAULT_TABLE}
_PLAIN = {"priority", "src", "srclen", "table", "protocol"}


@dataclass(frozen=True)
class IpRuleFacts:
    """``rules``: by one source alone; ``others``: tables that any other rule looks in, with its priority."""

    rules: Tuple[Rule, ...] = ()
    others: Tuple[Tuple[int, int], ...] = ()
    problem: str = ""


def table_of(value: object) -> Optional[int]:
    """Return the number of a table, None for a name that only the node's own rt_tables knows.

    >>> table_of("main"), table_of("1000"), table_of("blue")
    (254, 1000, None)
    """
    return TABLES.get(str(value), number(value))


def parse(text: str) -> IpRuleFacts:
    """Return the rules there are in the JSON form."""
    if not is_json(text):
        return IpRuleFacts(problem=not_output_of("ip -N -j rule show", text))
    rows, problem = json_rows(text)
    rules: List[Rule] = []
    others: List[Tuple[int, int]] = []
    told: List[str] = []
    for row in rows:
        priority, table = number(row.get("priority")), table_of(row.get("table"))
        if priority is None or "src" not in row:
            told.append("an entry without priority or source")
            continue
        source = _source(row)
        if source and table is not None and set(row) <= _PLAIN:
            rules.append(Rule(priority, source, table))
        elif table is not None:
            others.append((priority, table))
    return IpRuleFacts(tuple(rules), tuple(others), joined(problem, *told, "" if rows else "there is no rule"))


def _source(row: Row) -> Optional[str]:
    text = str(row["src"])
    return prefix(f"{text}/{row['srclen']}" if "srclen" in row and "/" not in text else text)

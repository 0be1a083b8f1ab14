"""What people paste of ``tc qdisc show``, with or without ``-j``; ``qdisc.py`` reads what a probe asked for.

    qdisc mq 0: dev eth0 root
    qdisc fq 8002: dev eth0 parent :1 limit 10000p flow_limit 100p
    [{"kind":"mq","handle":"0:","dev":"eth0","root":true,"options":{}}]

It deliberately keeps no options: what matters is which scheduler a port really has, in every queue of an ``mq``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Tuple

from .qdisc import Qdisc, parse_qdiscs
from .reading import joined
from .verdict import ended, problem, split_json

ROW = re.compile(r"qdisc (\S+) ([0-9a-f]+:) (?:dev (\S+) )?(?:(root)\b|(?:parent (\S+)|ingress_block|clsact)\b)?")


@dataclass(frozen=True)
class Qdiscs:
    """Roots by interface; an interface without a row has none that tc could see."""

    roots: Mapping[str, Qdisc] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> Qdiscs:
    """Read the whole output."""
    rows, shown, wrong = split_json(text)
    if rows is None:
        shown, half = ended(text)
        found, rest = _from_text(shown)
        return Qdiscs(parse_qdiscs(json.dumps(found)), problem("tc qdisc show", bool(found), rest, half=half))
    whole = [row for row in rows if all(isinstance(row.get(key), str) for key in ("kind", "dev"))]
    cut = [f"a row of {row.get('dev') or row.get('kind') or 'nothing known'}" for row in rows if row not in whole]
    return Qdiscs(parse_qdiscs(json.dumps(whole)), joined(wrong, problem("tc -j qdisc show", True, shown, cut)))


def _from_text(shown: List[str]) -> Tuple[List[Dict[str, Any]], List[str]]:
    found: List[Dict[str, Any]] = []
    rest: List[str] = []
    for line in shown:
        row = ROW.match(line + " ")
        if row and row[3]:
            parent = {"parent": row[5]} if row[5] else {}
            found.append({"kind": row[1], "handle": row[2], "dev": row[3], "root": bool(row[4]), **parent})
        else:
            rest.append(line)
    return found, rest

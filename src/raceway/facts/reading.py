"""What every parser of a tool's output needs: lines, numbers that may be words, GUIDs, and JSON that may be cut off.

A tool that prints an error and exits 0, or prints nothing, is common in this field::

    Failed to open NETLINK_RDMA socket
    symbol_error N/A (no PMA)
    [{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACT

The rule of all parsers built on this: rows and an empty ``problem`` is what the tool saw, no rows and an empty
``problem`` is a tool that saw nothing, and any ``problem`` means that the rows may not be all. A number that is not
there is None and never 0.
It deliberately raises nothing: an output that cannot be read is an answer too.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, List, Optional, Tuple

SILENT = "printed nothing"
Row = Dict[str, Any]
# Colours and bold, as tools print them into a pipe where they think it is a terminal.
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\(B)")
_LONGEST_QUOTE = 160


def lines(text: str) -> List[str]:
    """Return the lines without colours, carriage returns and blanks at their ends; empty ones are left out."""
    clean = _ESCAPES.sub("", text).replace("\r", "\n")
    return [line.rstrip() for line in clean.split("\n") if line.strip()]


def quote(text: str) -> str:
    """Return the first line of a text, short enough for a message, each run of blanks as one."""
    first = " ".join(next(iter(lines(text)), "").split())
    return first if len(first) <= _LONGEST_QUOTE else first[:_LONGEST_QUOTE] + "…"


def not_output_of(tool: str, text: str) -> str:
    """Return the problem of a text in which nothing of a tool's output was found: silence, or what stands there."""
    return f"this is no output of {tool}: {quote(text)}" if text.strip() else SILENT


def number(value: object) -> Optional[int]:
    """Return a whole number written in decimal or with 0x, None for anything else.

    >>> number("17"), number(" 0x1f\\n"), number("N/A (no PMA)"), number("")
    (17, 31, None, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    word = str(value).strip()
    if re.fullmatch(r"-?[0-9]{1,40}", word):
        return int(word)
    return int(word, 16) if re.fullmatch(r"0[xX][0-9a-fA-F]+", word) else None


def decimal(value: object) -> Optional[float]:
    """Return a finite number, None for words, ``nan`` and ``inf``."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(str(value).strip())
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def switch(value: object) -> Optional[bool]:
    """Return what ``on``, ``off``, ``true`` and ``false`` mean, None for anything else."""
    if isinstance(value, bool):
        return value
    return {"on": True, "true": True, "off": False, "false": False}.get(str(value).strip().lower())


def guid(text: str) -> str:
    """Return a GUID as 16 hexadecimal digits, whatever tool printed it; empty where there is none or it is zero.

    >>> guid("0x946DAE0300731800"), guid("946d:ae03:0073:1800"), guid("0000:0000:0000:0000")
    ('946dae0300731800', '946dae0300731800', '')
    """
    digits = text.strip().lower()
    digits = (digits[2:] if digits.startswith("0x") else digits).replace(":", "")
    return digits if re.fullmatch(r"[0-9a-f]{16}", digits) and int(digits, 16) else ""


def is_json(text: str) -> bool:
    """Tell whether a text wants to be JSON."""
    return text.lstrip()[:1] in ("[", "{")


def json_rows(text: str) -> Tuple[List[Row], str]:
    """Return the objects of a JSON list, or the one object there is, and what is wrong with the text.

    A list that was cut off gives the objects before the cut. Old iproute2 nests lists and prints empty objects.
    """
    try:
        return _objects(json.loads(text)), ""
    except (ValueError, RecursionError):
        found = cut_rows(text, text.find("["))
        return found, f"the JSON is cut off or damaged after {len(found)} whole entries"


def cut_rows(text: str, start: int) -> List[Row]:
    """Return the whole objects of a damaged JSON list whose bracket is at ``start``; -1: no list."""
    decoder = json.JSONDecoder()
    found: List[Row] = []
    place = start + 1 if start >= 0 else len(text)
    while True:
        while place < len(text) and text[place] in " \t\r\n,[":
            place += 1
        if place >= len(text) or text[place] != "{":
            return found
        try:
            value, place = decoder.raw_decode(text, place)
        except ValueError:
            return found
        found += _objects(value)


def _objects(value: Any) -> List[Row]:
    if isinstance(value, dict):
        return [value] if value else []
    return [row for one in value for row in _objects(one)] if isinstance(value, list) else []


def keyed(words: List[str], keys: Tuple[str, ...]) -> Dict[str, str]:
    """Return the words behind each known key of a line such as ``state ACTIVE netdev ens1``; a value may be empty."""
    found: Dict[str, str] = {}
    key = ""
    for word in words:
        if word in keys and word not in found:
            key = word
            found[key] = ""
        elif key:
            found[key] = f"{found[key]} {word}".strip()
    return found


def joined(*problems: str) -> str:
    """Return the problems there are as one text."""
    return "; ".join(dict.fromkeys(problem for problem in problems if problem))

"""What is wrong with a tool's output, in one text: an error it printed while it exited 0, an early end, or silence.

Parsers hand over the lines they could not use and get the ``problem`` of their facts (``reading.py`` says what that
means). These are such lines::

    Attribute read: Operation not supported
    Cannot get device ring settings: No such device
    -E- Failed to open the device

It deliberately knows errors by the words the tool itself wrote: what the C library adds behind them is in the language
of whoever ran it.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Tuple

from .reading import SILENT, is_json, joined, json_rows, lines, not_output_of

ERROR = re.compile(
    r"^\s*(?:-E-|error\b|fatal\b|failed to\b|unable to\b|cannot\b|can't\b|could ?n[o']t\b|netlink error|invalid\b"
    r"|attribute (?:read|write)\b|no devices? (?:were |was )?found|no (?:stats|data) available|traceback|bad command"
    r"|unknown (?:option|command)|nvidia-smi has failed"
    r"|(?:dcb|ethtool|lspci|ss|mlxlink|mlxconfig|mlnx_qos|nvidia-smi): )"
    r"|not supported\s*\.?$|no such (?:device|file)|permission denied|operation not permitted|command not found"
    r"|requires root",
    re.IGNORECASE,
)
NOTHING = frozenset({"", "n/a", "[n/a]", "none", "unknown", "unknown!"})


def ended(text: str) -> Tuple[List[str], List[str]]:
    """Return the lines that are whole, and the last one if a cut went through it: 8192 may read 81 there.

    A single line without its end was pasted, not cut.

    >>> ended("RX: 1024\\nTX: 81"), ended("host ieee")
    ((['RX: 1024'], ['TX: 81']), (['host ieee'], []))
    """
    shown = lines(text)
    whole = len(shown) < 2 or text.endswith(("\n", "\r"))
    return (shown, []) if whole else (shown[:-1], shown[-1:])


def problem(tool: str, read: bool, rest: Iterable[str], cut: Iterable[str] = (), half: Iterable[str] = ()) -> str:
    """Return what is wrong with an output of which ``rest`` was not used; ``read``: something else of it was.

    ``cut``: names of what every whole output has and this has not. ``half``: a last line that is not whole.

    >>> problem("dcb pfc show", False, ["Attribute read: Operation not supported"])
    'Attribute read: Operation not supported'
    >>> problem("ethtool -g", True, [], ["TX"]), problem("ethtool -g", False, [])
    ('cut off: TX', 'printed nothing')
    """
    torn = [" ".join(line.split()) for line in half]
    left = [line for line in (*rest, *torn) if line.strip()]
    errors = joined(*(line.strip() for line in left if ERROR.search(line)))
    if errors or read:
        return errors or joined(*(f"cut off: {what}" for what in (*(f"in {line[:60]!r}" for line in torn), *cut)))
    return not_output_of(tool, left[0]) if left else SILENT


def known(token: Optional[str]) -> Optional[str]:
    """Return the text, None where a tool wrote that it has none.

    >>> known(" N/A "), known(""), known("MCX75")
    (None, None, 'MCX75')
    """
    word = (token or "").strip()
    return None if word.lower() in NOTHING else word


def split_json(text: str) -> Tuple[Optional[List[Dict[str, Any]]], List[str], str]:
    """Return the objects of JSON output (None: it is none), the lines before it, and what is wrong with it.

    Lines before it are warnings of a tool whose two outputs were mixed. Without JSON all lines are returned.
    """
    shown = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(shown) if is_json(line)), len(shown))
    body = "".join(shown[first:])
    before = lines("".join(shown[:first]))
    if not body:
        return None, before, ""
    rows, wrong = json_rows(body)
    return rows, before, wrong


def fields(shown: Iterable[str]) -> Dict[str, str]:
    """Return ``name: value`` lines by name; the first of a name counts, other lines are left out."""
    found: Dict[str, str] = {}
    for line in shown:
        name, sign, value = line.partition(":")
        if sign:
            found.setdefault(name.strip(), value.strip())
    return found

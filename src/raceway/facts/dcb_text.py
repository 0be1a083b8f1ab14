"""One reader for both forms ``dcb show`` prints: a JSON object, or lines of keys, each followed by its values.

    {"dscp_prio":[[26,3," "],[48,6," "]]}
    willing off ets-cap 8 cbs off
    tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0

It deliberately takes two values of each JSON pair: the third is a blank that iproute2 prints by mistake (6.1 to 7.1).
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from . import verdict
from .reading import joined, not_output_of, number, switch
from .verdict import ended, split_json

EIGHT = 8  # IEEE 802.1Q has eight priorities and as many traffic classes
# RFC 2474, 2597, 3246 as iproute2 names them (rt_dsfield holds the whole byte, this the six bits).
DSCP_NAMES: Dict[str, int] = {
    "default": 0,
    "EF": 46,
    **{f"CS{n}": n * 8 for n in range(8)},
    **{f"AF{n}{drop}": n * 8 + drop * 2 for n in range(1, 5) for drop in range(1, 4)},
}
UNITS = {"": 1, "b": 1, "Kb": 1024, "Mb": 1024 * 1024, "Gb": 1024 * 1024 * 1024}


class Shown:
    """What was printed, by key with underscores; a key that was not printed, or is short, gives None."""

    def __init__(
        self,
        tool: str,
        values: Dict[str, Any],
        rest: List[str],
        is_json: bool,
        wrong: str = "",
        half: Sequence[str] = (),
    ) -> None:
        self.tool = tool
        self.is_json = is_json
        self._values = values
        self._rest = rest
        self._wrong = wrong
        self._half = half
        self._short: Set[str] = set()

    def has(self, key: str) -> bool:
        """Return whether the key was printed."""
        return key in self._values

    def problem(self, needed: List[str]) -> str:
        """Return what is wrong: errors, or what is cut off of the ``needed`` keys and of the rows read so far."""
        missing = sorted({key for key in needed if key not in self._values} | self._short)
        read = bool(self._values) or (self.is_json and not self._rest)
        return joined(
            self._wrong, verdict.problem(self.tool, read, self._rest, () if self._wrong else missing, self._half)
        )

    def number(self, key: str) -> Optional[int]:
        """Return the number after a key."""
        return number(self._first(key))

    def flag(self, key: str) -> Optional[bool]:
        """Return on or off after a key."""
        return switch(self._first(key))

    def numbers(self, key: str) -> Optional[Tuple[int, ...]]:
        """Return a row of eight numbers."""
        return self._row(key, number)

    def flags(self, key: str) -> Optional[Tuple[bool, ...]]:
        """Return a row of eight of on and off."""
        return self._row(key, switch)

    def words(self, key: str) -> Optional[Tuple[str, ...]]:
        """Return a row of eight words."""
        return self._row(key, lambda value: value if isinstance(value, str) and value else None)

    def sizes(self, key: str) -> Optional[Tuple[int, ...]]:
        """Return a row of eight sizes in bytes."""
        return self._row(key, _size)

    def size(self, key: str) -> Optional[int]:
        """Return the size after a key in bytes."""
        return _size(self._first(key))

    def listed(self, key: str) -> Tuple[int, ...]:
        """Return all numbers after a key, sorted."""
        found = (number(value) for value in self._all(key))
        return tuple(sorted(value for value in found if value is not None))

    def plain(self, key: str) -> Optional[Tuple[str, ...]]:
        """Return all words after a key in their order."""
        return tuple(str(value) for value in self._all(key)) if self.has(key) else None

    def pairs(self, key: str, base: int = 10) -> Tuple[Tuple[int, int], ...]:
        """Return (number, priority) pairs, sorted; ``base`` is that of the text form, JSON is always decimal."""
        read = 10 if self.is_json else base
        found = [(_digits(name, read), number(value)) for name, value in self._pairs(key)]
        return tuple(sorted((name, value) for name, value in found if name is not None and value is not None))

    def dscps(self, key: str) -> Tuple[Tuple[int, int], ...]:
        """Return (DSCP, priority) pairs, sorted; names such as AF31 are read too."""
        found = [(DSCP_NAMES.get(name, number(name)), number(value)) for name, value in self._pairs(key)]
        return tuple(sorted((name, value) for name, value in found if name is not None and value is not None))

    def named(self, key: str) -> Tuple[Tuple[str, int], ...]:
        """Return (name, priority) pairs, sorted."""
        found = [(name, number(value)) for name, value in self._pairs(key)]
        return tuple(sorted((name, value) for name, value in found if value is not None))

    def _all(self, key: str) -> List[Any]:
        value = self._values.get(key, [])
        return value if isinstance(value, list) else [value]

    def _first(self, key: str) -> Any:
        return next(iter(self._all(key)), None)

    def _pairs(self, key: str) -> List[Tuple[str, str]]:
        found: List[Tuple[str, str]] = []
        for one in self._all(key):
            parts = one if isinstance(one, list) else str(one).rpartition(":")[::2]
            if len(parts) >= 2 and str(parts[0]) and number(str(parts[1])) is not None:
                found.append((str(parts[0]), str(parts[1])))
            else:
                self._short.add(key)
        return found

    def _row(self, key: str, read: Any) -> Optional[Tuple[Any, ...]]:
        if not self.has(key):
            return None
        values = self._all(key)
        if not self.is_json:
            split = [str(value).partition(":") for value in values]
            values = [value for name, _, value in split] if [one[0] for one in split] == _INDEXES else []
        row = tuple(read(value) for value in values)
        if len(row) != EIGHT or None in row:
            self._short.add(key)
            return None
        return row


_INDEXES = [str(number) for number in range(EIGHT)]


def show(tool: str, text: str, keys: Set[str]) -> Shown:
    """Read either form; ``keys`` are those of the command. Other keys are ignored: newer ones print more."""
    rows, rest, wrong = split_json(text)
    if rows is None:
        shown, half = ended(text)
        values, rest = _from_text(shown, keys)
        return Shown(tool, values, rest, is_json=False, half=half)
    found = {key: one for row in rows for key, one in row.items() if key in keys}
    if any(rows) and not found:
        wrong = f"{not_output_of(tool, text)} (no key of {', '.join(sorted(keys))})"
    return Shown(tool, found, rest, is_json=True, wrong=wrong)


def _from_text(shown: List[str], keys: Set[str]) -> Tuple[Dict[str, Any], List[str]]:
    values: Dict[str, Any] = {}
    rest: List[str] = []
    for line in shown:
        key = ""
        words = line.split()
        if words[0].rstrip(":").replace("-", "_") not in keys:
            rest.append(line)
            continue
        for word in words:
            name = word.rstrip(":").replace("-", "_")
            if name in keys:
                key = name
                values.setdefault(key, [])
            else:
                values[key].append(word)
    return values, rest


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _digits(word: str, base: int) -> Optional[int]:
    allowed = "[0-9a-fA-F]+" if base == 16 else "[0-9]+"
    return int(word, base) if re.fullmatch(allowed, word) else None


def _size(value: Any) -> Optional[int]:
    if _is_number(value):
        return int(value)
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMG]?b)?", str(value))
    return round(float(found[1]) * UNITS[found[2] or ""]) if found else None

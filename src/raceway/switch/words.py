"""Reading the words of switch configurations: ranges, switches that are on or off, and indented blocks.

    interface Ethernet1/1          Block("interface Ethernet1/1", (
      mtu 9216                         Block("mtu 9216", ()),
      no shutdown                      Block("no shutdown", ())))

It deliberately knows no platform: which line means what is the parsers' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raceway.errors import RacewayError
from raceway.switch.model import OFF, ON

_RANGE = re.compile(r"(\D*(?:\d+\D+)*?)(\d{1,9})-(\d{1,9})")
_WIDEST = 4096  # a typing mistake in a range must not fill the memory
_SAYS_ON = frozenset({"on", "enable", "enabled", "true", "yes"})
_SAYS_OFF = frozenset({"off", "disable", "disabled", "false", "no"})


@dataclass(frozen=True)
class Block:
    """One line of a configuration without its indent, and the lines that are indented below it."""

    line: str
    inner: tuple[Block, ...] = ()

    def under(self, *starts: str) -> Iterator[Block]:
        """Yield the blocks directly inside whose line begins with one of these words."""
        return (one for one in self.inner if any(_begins(one.line, start) for start in starts))

    def after(self, start: str) -> str | None:
        """Return what follows these words in the last line inside that begins with them; None where none does."""
        found = [one.line[len(start) :].strip() for one in self.under(start)]
        return found[-1] if found else None


def _begins(line: str, start: str) -> bool:
    return line == start or line.startswith(f"{start} ")


def blocks(text: str, file: str) -> Block:
    """Return a configuration as one block whose inside is its outermost lines; ``!`` and ``#`` begin comments."""
    lines: list[tuple[int, str]] = []
    for row in text.expandtabs(4).splitlines():
        line = row.strip()
        if line.startswith("%"):
            raise RacewayError(
                file, f"an error message of a switch: {line!r}", act="fetch the running configuration again"
            )
        if line and line[0] not in "!#":
            lines.append((len(row) - len(row.lstrip()), " ".join(line.split())))
    return Block("", _inside(lines, 0, len(lines)))


def _inside(lines: list[tuple[int, str]], start: int, end: int) -> tuple[Block, ...]:
    found: list[Block] = []
    while start < end:
        depth, line = lines[start]
        stop = next((at for at in range(start + 1, end) if lines[at][0] <= depth), end)
        found.append(Block(line, _inside(lines, start + 1, stop)))
        start = stop
    return tuple(found)


def spread(text: str) -> list[str]:
    """Return the names a list with ranges stands for.

    >>> spread("swp1-3,swp6"), spread("swp1s0-1"), spread("0-2,7")
    (['swp1', 'swp2', 'swp3', 'swp6'], ['swp1s0', 'swp1s1'], ['0', '1', '2', '7'])
    """
    names: list[str] = []
    for piece in filter(None, text.split(",")):
        match = _RANGE.fullmatch(piece)
        first, last = (int(match[2]), int(match[3])) if match else (0, 0)
        if match and first <= last < first + _WIDEST:
            names += [f"{match[1]}{number}" for number in range(first, last + 1)]
        else:
            names.append(piece)
    return names


def numbers(text: str) -> list[int]:
    """Return the numbers of a list with ranges; what is none is left out.

    >>> numbers("3-4,6"), numbers("x")
    ([3, 4, 6], [])
    """
    return [int(name) for name in spread(text) if is_number(name)]


def is_number(text: str) -> bool:
    """Return whether a text is nothing but a number of usual size.

    >>> is_number("26"), is_number(" 26"), is_number("-1"), is_number("9" * 5000)
    (True, False, False, False)
    """
    return text.isascii() and text.isdecimal() and len(text) < 16


def switched(word: str | None) -> str | None:
    """Return on or off for whatever word a platform has for it; None where it says neither.

    >>> switched("enable"), switched("off"), switched(None)
    ('on', 'off', None)
    """
    if word is None:
        return None
    said = word.strip().lower()
    return ON if said in _SAYS_ON else OFF if said in _SAYS_OFF else None


def whole(word: str | None) -> str | None:
    """Return a number without blanks and leading zeros as text; None where there is none."""
    text = (word or "").strip()
    return str(int(text)) if is_number(text) else None


def pairs(line: str, names: Iterable[str]) -> dict[str, str]:
    """Return the word after each of these names in a line: thresholds and the like.

    >>> pairs("minimum-threshold 150 kbytes weight 0", ["weight"])
    {'weight': '0'}
    """
    words = line.split()
    return {name: words[at + 1] for name in names for at, word in enumerate(words[:-1]) if word == name}


def in_bytes(line: str, name: str) -> str | None:
    """Return a threshold in bytes; one in another unit keeps its unit, because it equals no number of bytes.

    >>> in_bytes("minimum-threshold 512 bytes", "minimum-threshold"), in_bytes("x 150 kbytes", "x")
    ('512', '150 kbytes')
    """
    words = line.split()
    for at, word in enumerate(words[:-2]):
        if word == name:
            return whole(words[at + 1]) if words[at + 2] == "bytes" else f"{words[at + 1]} {words[at + 2]}"
    return None

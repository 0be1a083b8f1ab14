"""Kubernetes quantities (``500m``, ``64Gi``, ``1e3``) as exact numbers, so that sums and comparisons never round.

It deliberately knows nothing about resources; which unit a quantity counts is its caller's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

_BINARY = {f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", 1)}
_DECIMAL = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    **{letter: Fraction(1000) ** power for power, letter in enumerate("MGTPE", 2)},
}
_FORM = re.compile(
    r"^(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))"
    r"(?:[eE](?P<exponent>[+-]?\d{1,3})|(?P<unit>[KMGTPE]i|[numkMGTPE])?)$"
)

Amounts = Mapping[str, Fraction]


def parse(value: str | int | float) -> Fraction:
    """Return the exact number behind a quantity; ValueError tells what is wrong with it.

    >>> parse("1500m") == Fraction(3, 2), parse("2Ki") == 2048
    (True, True)
    """
    text = str(value).strip()
    match = _FORM.match(text)
    if match is None or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a quantity such as 8, 500m, 64Gi")
    number = Fraction(match["number"])
    if match["exponent"]:
        return number * Fraction(10) ** int(match["exponent"])
    unit = match["unit"] or ""
    return number * (_BINARY[unit] if unit in _BINARY else _DECIMAL[unit])


def amounts(quantities: Mapping[str, str | int | float]) -> dict[str, Fraction]:
    """Return resource → exact number."""
    return {name: parse(value) for name, value in quantities.items()}


def add(*parts: Amounts) -> dict[str, Fraction]:
    """Return the sum per resource."""
    total: dict[str, Fraction] = {}
    for part in parts:
        for name, number in part.items():
            total[name] = total.get(name, Fraction(0)) + number
    return total


def largest(parts: Iterable[Amounts]) -> dict[str, Fraction]:
    """Return the maximum per resource."""
    top: dict[str, Fraction] = {}
    for part in parts:
        for name, number in part.items():
            top[name] = max(top.get(name, number), number)
    return top


def scale(part: Amounts, factor: int) -> dict[str, Fraction]:
    """Return every amount times ``factor``."""
    return {name: number * factor for name, number in part.items()}


def show(number: Fraction, resource: str = "") -> str:
    """Return a number as a person would write it: memory in Gi where that is exact, thousandths as ``m``.

    >>> show(Fraction(3, 2)), show(parse("64Gi"), "memory"), show(Fraction(24))
    ('1500m', '64Gi', '24')
    """
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit in reversed(_BINARY):
            if number >= _BINARY[unit] and (number / _BINARY[unit]).denominator == 1:
                return f"{number // _BINARY[unit]}{unit}"
    if number.denominator == 1:
        return str(number)
    if (number * 1000).denominator == 1:
        return f"{int(number * 1000)}m"
    return f"{float(number):.3f}"

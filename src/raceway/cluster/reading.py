"""Reads plain data (a stack's configuration) into typed values and tells *every* misfit with its full key.

A reader collects problems instead of raising, so that one run names all bad keys. It deliberately has no idea of what
is read: the shapes are in ``config.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from raceway.cluster.problems import Problem, nearest
from raceway.cluster.quantity import parse

_MISSING = object()
T = TypeVar("T")


class Reader:
    """One map of the configuration at ``place``. ``done`` tells of keys that nobody asked for."""

    def __init__(self, place: str, data: Any, problems: list[Problem]) -> None:
        self.place = place
        self.problems = problems
        self._asked: set[str] = set()
        self._data: Mapping[str, Any] = {}
        if isinstance(data, Mapping):
            self._data = data
        elif data is not None:
            self._tell(place, data, "a map")

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default it must be there and not empty."""
        value = self._take(key, default)
        if isinstance(value, str) and (value or default == ""):
            return value
        return self._misfit(key, value, "text", default or "")

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        """Return one of ``allowed``."""
        value = self._take(key, default)
        if value in allowed:
            return str(value)
        self.problems.append(Problem(self._at(key), repr(value), ", ".join(allowed), nearest(str(value), allowed)))
        return default

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self._take(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return self._misfit(key, value, "a whole number", default or 0)

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._take(key, default)
        return value if isinstance(value, bool) else self._misfit(key, value, "true or false", default)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts (empty when absent)."""
        value = self._take(key, [])
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        return self._misfit(key, value, "a list of texts", ())

    def text_map(self, key: str) -> dict[str, str]:
        """Return a map of texts (numbers are written as text, as environment variables and labels want them)."""
        value = self._take(key, {})
        if isinstance(value, Mapping) and not any(isinstance(one, (Mapping, list, bool)) for one in value.values()):
            return {str(name): _written(one) for name, one in value.items()}
        return self._misfit(key, value, "a map of texts", {})

    def quantities(self, key: str) -> dict[str, str]:
        """Return a map of Kubernetes quantities."""
        value = self._take(key, {})
        if not isinstance(value, Mapping):
            return self._misfit(key, value, "a map of resource: quantity", {})
        for name, one in value.items():
            try:
                parse(one)
            except ValueError as error:
                self.problems.append(Problem(f"{self._at(key)}.{name}", str(error), "8, 500m, 64Gi …", "correct it"))
        return {str(name): _written(one) for name, one in value.items()}

    def any_map(self, key: str) -> dict[str, Any]:
        """Return a map whose values another table checks."""
        value = self._take(key, {})
        return dict(value) if isinstance(value, Mapping) else self._misfit(key, value, "a map", {})

    def sub(self, key: str) -> Reader:
        """Return a reader of the map below ``key`` (an empty one when absent)."""
        return Reader(self._at(key), self._take(key, None), self.problems)

    def has(self, key: str) -> bool:
        """True when the key is there at all."""
        return key in self._data

    def each(self, key: str) -> Iterator[Reader]:
        """Yield a reader for each element of a list of maps."""
        value = self._take(key, [])
        if not isinstance(value, list):
            self._misfit(key, value, "a list of maps", None)
            return
        for index, one in enumerate(value):
            yield Reader(f"{self._at(key)}[{index}]", one if one is not None else "", self.problems)

    def lists(self, key: str) -> Iterator[list[Reader]]:
        """Yield, for a list of lists of maps, the readers of each inner list."""
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
            self._misfit(key, value, "a list of lists", None)
            return
        for index, row in enumerate(value):
            yield [Reader(f"{self._at(key)}[{index}][{i}]", one, self.problems) for i, one in enumerate(row)]

    def done(self) -> None:
        """Tell of every key that was not asked for."""
        for key in self._data:
            if key not in self._asked:
                known = sorted(self._asked)
                act = nearest(str(key), known) or "remove it"
                self.problems.append(Problem(self._at(str(key)), "unknown key", ", ".join(known), act))

    def _at(self, key: str) -> str:
        return f"{self.place}{'' if self.place.endswith(':') else '.'}{key}"

    def _take(self, key: str, default: Any) -> Any:
        self._asked.add(key)
        value = self._data.get(key, _MISSING)
        return default if value is _MISSING else value

    def _misfit(self, key: str, value: Any, allowed: str, fallback: T) -> T:
        self._tell(self._at(key), value, allowed)
        return fallback

    def _tell(self, place: str, value: Any, allowed: str) -> None:
        found = "absent" if value is None else f"{value!r}"
        self.problems.append(Problem(place, found, allowed, "set it" if value is None else "correct the value"))


def _written(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

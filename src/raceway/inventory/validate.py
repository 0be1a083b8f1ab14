"""Is a value what its spec says? All problems of it at once, stricter than Ansible where a conversion hides a mistake.

Told, though Ansible would convert: a bool or number for a string, "8" for an int, "yes" for a bool, "a,b" or a single
value for a list, null where the spec has no null default. Accepted: an int for a float; and, from sources that have no
types (INI files, ``-e key=value``), a number for a string and the usual words for bools and numbers.
Keys of a dict that are not given get their spec's default (Ansible checks them but leaves them out).
It deliberately looks at one variable at a time: rules between variables are ``constraints``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from raceway.inventory.constraints import problems_between
from raceway.inventory.specs import MISSING, NO_CONSTRAINTS, Option
from raceway.inventory.values import SECRET, kind_of, native, secret_name, show

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_EXPECTED = {
    "str": "a string",
    "path": "a path (string)",
    "int": "an int",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "a dict",
    "bytes": "a size such as 512M",
    "bits": "a size such as 10Mb",
    "json": "JSON",
    "jsonarg": "JSON",
}


@dataclass(frozen=True)
class Problem:
    """One mistake inside one value. ``at`` is the value or key that stands nearest to it in the file."""

    path: str
    found: str
    allowed: str = ""
    act: str = ""
    at: Any = field(default=None, compare=False)


def check_value(
    option: Option, value: Any, untyped: bool = False, path: str = "", mask: str = ""
) -> tuple[Any, list[Problem]]:
    """Return the value as the role will get it, and every problem with it. ``mask``: shown instead of the value."""
    path = path or option.name
    secret = mask or (SECRET if option.secret or secret_name(path.rpartition(".")[2]) else "")
    if value is None:
        if option.nullable:
            return None, []
        act = f"give {path} a value or remove the line"
        return value, [Problem(path, "nothing (null)", _EXPECTED[option.type], act)]
    value, problem = _typed(option.type, value, untyped, path, secret)
    if problem:
        return value, [problem]
    if option.type == "list":
        return _list(option, value, untyped, path, secret)
    if option.type == "dict" and option.options is not None:
        return _dict(option, value, untyped, path, secret)
    return native(value), _choice(option, value, path, secret)


def closest(name: str, known: Iterable[str], cutoff: float = 0.75) -> str:
    """Return the known name that was probably meant, or the empty string.

    >>> closest("node_acelerator_count", ["node_accelerator_count", "node_rack"])
    'node_accelerator_count'
    """
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean X?`` or the empty string."""
    near = closest(name, known)
    return f"did you mean {near}?" if near else ""


def _typed(kind: str, value: Any, untyped: bool, path: str, secret: str) -> tuple[Any, Problem | None]:
    if untyped:
        value = _from_words(kind, value)
    if _fits(kind, value):
        return value, None
    shown = show(value, secret)
    found = f"{shown}, {kind_of(value)}" if value != "" else "an empty string"
    return value, Problem(path, found, _EXPECTED[kind], _advice(kind, value, secret), value)


def _fits(kind: str, value: Any) -> bool:
    if kind in ("raw", "json", "jsonarg"):
        return True
    if isinstance(value, bool):
        return kind == "bool"
    fitting: dict[str, Any] = {
        "str": str,
        "path": str,
        "int": int,
        "float": (int, float),
        "list": list,
        "dict": Mapping,
        "bytes": (str, int),
        "bits": (str, int),
    }
    return kind in fitting and isinstance(value, fitting[kind])


def _from_words(kind: str, value: Any) -> Any:
    if kind in ("str", "path") and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    if kind == "bool" and word in _TRUE + _FALSE:
        return word in _TRUE
    try:
        return int(word) if kind == "int" else float(word) if kind == "float" else value
    except ValueError:
        return value


def _advice(kind: str, value: Any, secret: str) -> str:
    shown = "it" if secret else str(value)
    if kind in ("str", "path") and not isinstance(value, (Mapping, list)):
        return "quote it: YAML turns bare words such as yes, on, 0123 and 1e3 into bools and numbers"
    if kind in ("int", "float", "bool") and isinstance(value, str):
        converted = _from_words(kind, value)
        return f"write {shown} without quotes" if not isinstance(converted, str) else f"write {_EXPECTED[kind]}"
    if kind == "list" and not isinstance(value, (Mapping, list)):
        words = [word.strip() for word in shown.split(",")]
        return f"write [{', '.join(words)}]"
    return f"write {_EXPECTED[kind]}"


def _choice(option: Option, value: Any, path: str, secret: str) -> list[Problem]:
    if not option.choices or value in option.choices:
        return []
    names = [str(choice) for choice in option.choices]
    near = closest(str(value).lower().replace("-", "_"), names)
    act = f"did you mean {near}?" if near and not secret else "write one of them"
    return [Problem(path, show(value, secret), ", ".join(names), act, value)]


def _list(option: Option, value: list[Any], untyped: bool, path: str, secret: str) -> tuple[Any, list[Problem]]:
    rows, problems = [], []
    element = Option(
        option.name,
        option.elements or "raw",
        choices=option.choices,
        options=option.options,
        constraints=option.constraints,
    )
    for number, row in enumerate(value):
        # An element has a place of its own in the file; where it cannot carry one (a bool) the list's place is used.
        got, found = check_value(element, row, untyped, f"{path}[{number}]", secret)
        rows.append(got)
        problems += _placed(found, value)
    return rows, problems


def _placed(problems: list[Problem], place: Any) -> list[Problem]:
    # Only null and bools carry no place of their own.
    return [replace(one, at=place) if one.at is None or isinstance(one.at, bool) else one for one in problems]


def _dict(option: Option, value: Mapping[str, Any], untyped: bool, path: str, secret: str) -> tuple[Any, list[Problem]]:
    known = option.options or {}
    rows: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, row in value.items():
        inner = known.get(str(key))
        if inner is None:
            act = did_you_mean(str(key), known) or "remove it"
            problems.append(Problem(f"{path}.{key}", "unknown key", ", ".join(known), act, key))
            continue
        got, found = check_value(inner, row, untyped, f"{path}.{key}", secret)
        rows[str(key)] = got
        problems += _placed(found, key)
    for name, inner in known.items():
        if name in value:
            continue
        if inner.required:
            expected = _EXPECTED.get(inner.type, inner.type)
            problems.append(Problem(f"{path}.{name}", "missing", expected, f"add {name}", value))
        elif inner.default is not MISSING:
            rows[name] = inner.default
    if option.constraints != NO_CONSTRAINTS:
        for names, found_text, act in problems_between(option.constraints, rows):
            problems.append(Problem(f"{path}.{names}", found_text, "", act, value))
    return rows, problems

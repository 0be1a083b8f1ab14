"""Stands in for ``dataclasses`` on a node: the same classes, made without generating and compiling source for each.

Making the node half's 60 dataclasses cost more CPU than reading every fact of a node (115 of 163 ms, measured on
Python 3.11), at each call on each node. What the node half uses is here: ``dataclass``, plain or frozen, ``field`` and
``replace``.
It deliberately covers no more: any other name comes from the real module, and a test holds both makers equal.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple


class FrozenInstanceError(AttributeError):
    """Someone assigned to a field of a frozen record."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Field:
    """What ``field`` returns: how a value that is not given is made, and whether it may be shown."""

    __slots__ = ("default", "default_factory", "repr")

    def __init__(self, default: Any, default_factory: Any, repr: bool) -> None:
        self.default, self.default_factory, self.repr = default, default_factory, repr


def field(*, default: Any = MISSING, default_factory: Any = MISSING, repr: bool = True) -> Any:
    """Describe one field of a record."""
    return Field(default, default_factory, repr)


def dataclass(cls: Optional[type] = None, *, frozen: bool = False) -> Any:
    """Make a class a record: ``@dataclass`` or ``@dataclass(frozen=True)``."""

    def make(target: type) -> type:
        fields: Dict[str, Field] = dict(getattr(target, "__record_fields__", {}))
        for name in _annotations(target):
            fields[name] = _own_field(target, name)
        methods: Dict[str, Callable[..., Any]] = {"__init__": _init, "__eq__": _eq, "__repr__": _repr}
        if frozen:
            methods.update(__hash__=_hash, __setattr__=_refuse, __delattr__=_refuse)
        for name, method in methods.items():
            if name not in target.__dict__ or name == "__hash__":
                setattr(target, name, method)
        if not frozen:
            target.__hash__ = None  # type: ignore[assignment]  # as in dataclasses: equal by value and mutable
        target.__record_fields__ = fields  # type: ignore[attr-defined]
        return target

    return make if cls is None else make(cls)


def replace(record: Any, **changes: Any) -> Any:
    """Return a copy of a record with some fields changed; TypeError for one it does not have."""
    kind = type(record)
    return kind(**{**{name: record.__dict__[name] for name in kind.__record_fields__}, **changes})


def __getattr__(name: str) -> Any:
    """Give what is not here from the real module, which is loaded for it."""
    if name.startswith("__"):
        raise AttributeError(name)
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("dataclasses")  # not by the name alone: that finds this module on a node
    if spec is None or spec.loader is None:
        raise AttributeError(name)
    real = module_from_spec(spec)
    spec.loader.exec_module(real)
    return getattr(real, name)


def _annotations(target: type) -> Mapping[str, Any]:
    # Before Python 3.10 the attribute is the base's where the class has none of its own.
    if sys.version_info < (3, 10):
        return target.__dict__.get("__annotations__", {})  # type: ignore[unreachable]  # noqa: RUF063
    return target.__annotations__


def _own_field(target: type, name: str) -> Field:
    value = target.__dict__.get(name, MISSING)
    if not isinstance(value, Field):
        return Field(value, MISSING, True)
    if value.default is MISSING:
        delattr(target, name)
    else:
        setattr(target, name, value.default)
    return value


def _init(self: Any, *args: Any, **kwargs: Any) -> None:
    fields = type(self).__record_fields__
    values = self.__dict__
    if len(args) > len(fields):
        raise TypeError(f"{type(self).__name__}: {len(args)} values for {len(fields)} fields")
    values.update(zip(fields, args))
    for name, spec in fields.items():
        if name in kwargs:
            if name in values:
                raise TypeError(f"{type(self).__name__}: {name} is given twice")
            values[name] = kwargs.pop(name)
        elif name not in values:
            values[name] = _default(self, name, spec)
    if kwargs:
        raise TypeError(f"{type(self).__name__}: no field {', '.join(kwargs)}")


def _default(self: Any, name: str, spec: Field) -> Any:
    if spec.default_factory is not MISSING:
        return spec.default_factory()
    if spec.default is MISSING:
        raise TypeError(f"{type(self).__name__}: {name} is not given")
    return spec.default


def _key(self: Any) -> Tuple[Any, ...]:
    values = self.__dict__
    return tuple([values[name] for name in type(self).__record_fields__])


def _eq(self: Any, other: Any) -> Any:
    return _key(self) == _key(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_key(self))


def _repr(self: Any) -> str:
    shown: List[str] = [
        f"{name}={self.__dict__[name]!r}" for name, spec in type(self).__record_fields__.items() if spec.repr
    ]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")

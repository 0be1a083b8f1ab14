"""The typed variables of every role: ``roles/*/meta/argument_specs.yml`` (entry point main) and ``defaults/main.yml``.

A broken spec is our own mistake and is told with its file. It deliberately checks no values: ``typing_rules`` does.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory import ansible_api
from raceway.inventory.origin import Origin
from raceway.inventory.values import native, secret_name
from raceway.paths import source_root

TYPES = ("str", "int", "bool", "float", "list", "dict", "path", "raw", "bytes", "bits", "json", "jsonarg")
MISSING: Any = object()  # no default is given, which is not the same as a default of null
_CONSTRAINTS = ("mutually_exclusive", "required_together", "required_one_of", "required_if")


@dataclass(frozen=True)
class Constraints:
    """Rules between variables, as argument specs write them."""

    mutually_exclusive: tuple[tuple[str, ...], ...] = ()
    required_together: tuple[tuple[str, ...], ...] = ()
    required_one_of: tuple[tuple[str, ...], ...] = ()
    required_if: tuple[tuple[Any, ...], ...] = ()
    required_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NO_CONSTRAINTS = Constraints()


@dataclass(frozen=True)
class Option:
    """One variable (or one key of a dict variable)."""

    name: str
    type: str = "str"
    elements: str = ""
    choices: tuple[Any, ...] = ()
    required: bool = False
    no_log: bool = False
    default: Any = MISSING
    options: Mapping[str, Option] | None = None
    constraints: Constraints = field(default_factory=Constraints)

    @property
    def secret(self) -> bool:
        """True when a value of this variable is never printed."""
        return self.no_log or secret_name(self.name)

    @property
    def nullable(self) -> bool:
        """True when null is a value of this variable: its default says so, or it may be anything."""
        return self.default is None or self.type == "raw"


@dataclass(frozen=True)
class RoleSpec:
    """What one role accepts and what it takes when nothing is said."""

    role: str
    options: Mapping[str, Option]
    defaults: Mapping[str, Any]
    origins: Mapping[str, Origin]
    constraints: Constraints = field(default_factory=Constraints)

    @property
    def prefix(self) -> str:
        """The beginning of every variable name of this role."""
        return f"{self.role}_"


Specs = Mapping[str, RoleSpec]


def default_roles_dir() -> Path:
    """The roles of the checkout this package runs from."""
    return source_root() / "roles"


@functools.lru_cache(maxsize=8)
def load_specs(roles_dir: Path | None = None) -> Specs:
    """Return the spec of every role below ``roles_dir`` that has one, by role name."""
    folder = roles_dir or default_roles_dir()
    loader = ansible_api.CachingLoader()
    files = sorted(folder.glob("*/meta/argument_specs.yml"))
    if not files:
        raise RacewayError(
            str(folder),
            "no role with meta/argument_specs.yml",
            "the roles folder of raceway",
            "run from a checkout, or name the folder with --roles",
        )
    specs = {}
    for file in files:
        role = file.parent.parent.name
        specs[role] = _role(role, _read(loader, file), file, _defaults(loader, folder / role / "defaults" / "main.yml"))
    return specs


def _read(loader: ansible_api.CachingLoader, file: Path) -> Any:
    try:
        return loader.load_from_file(str(file.absolute()), trusted_as_template=True)
    except ansible_api.AnsibleError as error:
        raise RacewayError(str(ansible_api.error_origin(error) or file), ansible_api.first_line(error)) from error


def _defaults(loader: ansible_api.CachingLoader, file: Path) -> Mapping[str, Any]:
    data = _read(loader, file) if file.is_file() else {}
    if data is not None and not isinstance(data, Mapping):
        raise RacewayError(str(file), "not a mapping of variables", "variable: value", "correct the file")
    return data or {}


def _role(role: str, data: Any, file: Path, defaults: Mapping[str, Any]) -> RoleSpec:
    try:
        main = data["argument_specs"]["main"]
        rows = main.get("options") or {}
    except (KeyError, TypeError, AttributeError):
        raise RacewayError(
            str(file), "no entry point main", "argument_specs: main: options: …", "correct the file"
        ) from None
    options = {str(name): _option(str(name), row or {}, file) for name, row in rows.items()}
    origins = {str(key): ansible_api.origin_of(key) or Origin(str(file)) for key in defaults}
    return RoleSpec(role, options, {str(k): v for k, v in defaults.items()}, origins, _constraints(main))


def _option(name: str, row: Mapping[str, Any], file: Path) -> Option:
    kind = str(row.get("type", "str"))
    elements = str(row.get("elements") or "")
    for word in (kind, elements or "str"):
        if word not in TYPES:
            raise RacewayError(f"{file}: {name}", f"type {word}", ", ".join(TYPES), "correct the argument spec")
    nested = row.get("options")
    return Option(
        name=name,
        type=kind,
        elements=elements,
        choices=tuple(native(choice) for choice in row.get("choices") or ()),
        required=bool(row.get("required", False)),
        no_log=bool(row.get("no_log", False)),
        default=native(row["default"]) if "default" in row else MISSING,
        options={str(k): _option(str(k), v or {}, file) for k, v in nested.items()} if nested is not None else None,
        constraints=_constraints(row),
    )


def _constraints(row: Mapping[str, Any]) -> Constraints:
    found = {name: tuple(tuple(native(list(group))) for group in row.get(name) or ()) for name in _CONSTRAINTS}
    by = row.get("required_by") or {}
    names = {str(k): tuple([str(v)] if isinstance(v, str) else [str(one) for one in v]) for k, v in by.items()}
    return Constraints(**found, required_by=names)

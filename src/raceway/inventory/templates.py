"""Values as a host will get them: templates filled in by Ansible's own templar, vault values opened where possible.

The commonest templates, ``{{ one_variable }}`` and text around such, are filled in without starting the engine, and a
result is kept for all hosts for which the variables it depends on are the same objects.
It deliberately has no facts: a template that needs them is reported, because the desired state must not follow from
what a node happens to look like.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2
import jinja2.meta

from raceway.inventory import ansible_api, ansible_render
from raceway.inventory.source import Inventory

_PIECE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_ENGINE_NEEDED: Any = object()
_NEVER_KEPT = frozenset({"hostvars", "vars", "lookup", "query", "q", "now"})  # may differ at every call
_ENGINE = jinja2.Environment(autoescape=False)  # parses for names only, renders nothing


@dataclass(frozen=True)
class Resolved:
    """One value. ``hidden``: from a vault. ``sealed``: no known password opens it. ``error``: why it has no value."""

    value: Any
    hidden: bool = False
    sealed: bool = False
    error: str = ""
    omitted: bool = False
    templated: bool = False


class Resolver:
    """Fills in the values of one inventory."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._kept: dict[tuple[Any, ...], Resolved] = {}
        self._groups = {name: list(hosts) for name, hosts in inventory.groups.items()}
        self._names_of: dict[tuple[str, ...], list[str]] = {}
        self._plain: dict[int, bool] = {}

    def is_plain(self, value: Any) -> bool:
        """True when a value holds neither a template nor a vault value: it is what is written."""
        if value is None or isinstance(value, (bool, int, float)):
            return True
        if isinstance(value, str) or not self._inventory.lasting:
            return not _holds(value, _moving)
        key = id(value)
        if key not in self._plain:
            self._plain[key] = not _holds(value, _moving)
        return self._plain[key]

    def resolve(self, host: str, variables: Mapping[str, Any], value: Any) -> Resolved:
        """Return a value of a host; never raises for what an inventory may hold."""
        seen: set[str] = set()
        while isinstance(value, str) and (match := _PIECE.fullmatch(value)) and ansible_render.is_template(value):
            name = match.group(1)
            if name in seen:
                return Resolved(value, error=f"template {value} refers to itself")
            if name not in variables:
                break
            seen.add(name)
            value = variables[name]
        if self.is_plain(value):
            return Resolved(value, templated=bool(seen))
        if not ansible_render.holds_template(value):
            return self._opened(value)
        sealed = _holds(value, ansible_api.is_vault)
        filled = _ENGINE_NEEDED if sealed else self._filled(host, variables, value)
        if filled is not _ENGINE_NEEDED:
            return Resolved(filled, templated=True)
        return self._rendered(host, variables, value)

    def _filled(self, host: str, variables: Mapping[str, Any], value: Any) -> Any:
        """Return a value with its plain ``{{ name }}`` pieces filled in; _ENGINE_NEEDED where that is not all."""
        if isinstance(value, Mapping):
            rows = {key: self._filled(host, variables, row) for key, row in value.items()}
            return _ENGINE_NEEDED if any(row is _ENGINE_NEEDED for row in rows.values()) else rows
        if isinstance(value, list):
            items = [self._filled(host, variables, row) for row in value]
            return _ENGINE_NEEDED if any(item is _ENGINE_NEEDED for item in items) else items
        return self._joined(host, variables, value) if ansible_render.is_template(value) else value

    def _joined(self, host: str, variables: Mapping[str, Any], text: str) -> Any:
        pieces = _PIECE.split(text)  # literal, name, literal, name, …, literal
        if "\r" in text or any("}}" in literal or ansible_render.any_mark(literal) for literal in pieces[::2]):
            return _ENGINE_NEEDED
        for at in range(1, len(pieces), 2):
            name = pieces[at]
            value = variables.get(name)
            if name not in variables and name in ("inventory_hostname", "inventory_hostname_short"):
                value = host if name == "inventory_hostname" else short_name(host)
            # Other types have rules of their own (a bool, null, a list); so have texts with templates inside.
            if isinstance(value, bool) or not isinstance(value, (str, int)) or not self.is_plain(value):
                return _ENGINE_NEEDED
            if len(pieces) == 3 and not pieces[0] and not pieces[2]:
                return value  # a template of nothing but one name keeps the value's type
            pieces[at] = str(value)
        return "".join(pieces)

    def _rendered(self, host: str, variables: Mapping[str, Any], value: Any) -> Resolved:
        reach = _reach(value, variables)
        key = None
        if reach is not None and not reach & _NEVER_KEPT and self._inventory.lasting:
            key = (id(value), *((name, self._identity(host, name, variables)) for name in sorted(reach)))
            if key in self._kept:
                return self._kept[key]
        vaults = [one for one in (value, *map(variables.get, reach or ())) if _holds(one, ansible_api.is_vault)]
        if any(self._opened(one).sealed for one in vaults):
            result = Resolved(value, hidden=True, sealed=True)
        else:
            result = self._render(host, variables, value, bool(vaults))
        if key is not None:
            self._kept[key] = result
        return result

    def _identity(self, host: str, name: str, variables: Mapping[str, Any]) -> Any:
        if name in ("inventory_hostname", "inventory_hostname_short"):
            return host
        if name == "group_names":
            return self._inventory.group_key(host)
        return id(variables[name]) if name in variables else None

    def _render(self, host: str, variables: Mapping[str, Any], value: Any, hidden: bool) -> Resolved:
        try:
            got = ansible_render.render(self._inventory.loader, value, {**variables, **self._magic(host, value)})
        except ansible_api.AnsibleError as error:
            return Resolved(value, hidden=hidden, error=_reason(error))
        if got is ansible_render.OMITTED:
            return Resolved(None, omitted=True)
        opened = self._opened(got)
        return Resolved(opened.value, hidden or opened.hidden, opened.sealed, templated=True)

    def _magic(self, host: str, value: Any) -> dict[str, Any]:
        key = self._inventory.group_key(host)
        names = self._names_of.setdefault(key, sorted(key))
        magic: dict[str, Any] = {
            "inventory_hostname": host,
            "inventory_hostname_short": short_name(host),
            "group_names": names,
            "groups": self._groups,
        }
        if _holds(value, lambda one: isinstance(one, str) and "hostvars" in one):
            magic["hostvars"] = self._inventory.host_variables()
        return magic

    def _opened(self, value: Any) -> Resolved:
        if not _holds(value, ansible_api.is_vault):
            return Resolved(value)
        try:
            return Resolved(_decrypted(self._inventory.loader, value), hidden=True)
        except ansible_api.AnsibleError:
            return Resolved(value, hidden=True, sealed=True)


def short_name(host: str) -> str:
    """Return what Ansible calls ``inventory_hostname_short``: addresses have no short form.

    >>> short_name("gpu1.example.com"), short_name("10.0.0.1")
    ('gpu1', '10.0.0.1')
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.split(".")[0]
    return host


def resolver_of(inventory: Inventory) -> Resolver:
    """Return the inventory's one resolver: what check has filled in, the desired state need not fill in again."""
    known = inventory.kept.setdefault("resolver", None) or Resolver(inventory)
    inventory.kept["resolver"] = known
    return known


def _moving(value: Any) -> bool:
    return ansible_render.is_template(value) or ansible_api.is_vault(value)


def _holds(value: Any, wanted: Any) -> bool:
    if wanted(value):
        return True
    if isinstance(value, dict):  # Ansible's own mappings are dicts too; the abstract type is asked ten times slower
        return any(_holds(row, wanted) for row in value.values())
    return isinstance(value, (list, tuple)) and any(_holds(row, wanted) for row in value)


def _decrypted(loader: Any, value: Any) -> Any:
    if ansible_api.is_vault(value):
        return ansible_api.decrypt(loader, value)
    if isinstance(value, Mapping):
        return {key: _decrypted(loader, row) for key, row in value.items()}
    return [_decrypted(loader, row) for row in value] if isinstance(value, list) else value


def _reason(error: BaseException) -> str:
    text = ansible_api.first_line(error)
    return text.split("Error while resolving value")[0].strip() if "undefined" in text else text


def _reach(value: Any, variables: Mapping[str, Any]) -> frozenset[str] | None:
    """Names a value depends on, through other templates too; None when that cannot be told."""
    found: set[str] = set()
    todo = [value]
    while todo:
        for text in _texts(todo.pop()):
            names = _names(str(text))
            if names is None:
                return None
            for name in names - found:
                found.add(name)
                todo.append(variables.get(name))
    return frozenset(found)


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for row in value.values() for text in _texts(row)]
    if isinstance(value, (list, tuple)):
        return [text for row in value for text in _texts(row)]
    return [value] if ansible_render.is_template(value) else []


@functools.lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str] | None:
    try:
        return frozenset(jinja2.meta.find_undeclared_variables(_ENGINE.parse(text)))
    except jinja2.TemplateError:
        return None

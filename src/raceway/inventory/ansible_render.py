"""Ansible's template engine and merger of variables, as raceway uses them; the other room for ansible-core's inside.

It deliberately keeps nothing that a caller could not ask for again: what is kept is compiled templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleValueOmittedError
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultSecretsContext
from ansible.template import Templar, is_trusted_as_template

any_mark = re.compile(r"\{[{%#]").search
OMITTED: Any = object()
_own_secrets: Any = None


def is_template(value: object) -> bool:
    """True when a string that Ansible trusts holds template marks."""
    if not isinstance(value, str) or not any_mark(value):
        return False
    return bool(is_trusted_as_template(value))


def holds_template(value: object) -> bool:
    """True when a value, or a value inside it, holds template marks."""
    if isinstance(value, dict):
        return any(holds_template(row) for row in value.values())
    return any(holds_template(row) for row in value) if isinstance(value, list) else is_template(value)


def render(loader: DataLoader, value: Any, variables: Mapping[str, Any]) -> Any:
    """Return a value with its templates filled in, OMITTED for ``{{ omit }}``; raises AnsibleError."""
    _offer_secrets(loader)
    templar = _templar(loader)
    templar.available_variables = dict(variables)
    try:
        return templar.template(value)
    except AnsibleValueOmittedError:
        return OMITTED


def _templar(loader: DataLoader) -> Any:
    """One templar a loader, which compiles each template once: compiling is nine tenths of a rendering's time."""
    known = getattr(loader, "raceway_templar", None)
    if known is not None:
        return known
    templar = loader.raceway_templar = Templar(loader=loader)
    engine: Any = getattr(templar, "_engine", None)
    if hasattr(engine, "_compile_template"):  # private: without it each rendering compiles, which is only slower
        engine._compile_template = _remembering(engine._compile_template)
    return templar


def _remembering(compile_template: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    compiled: dict[tuple[str, Any], Any] = {}

    def remembered(template: str, options: Any) -> Any:
        key = (str(template), options)
        if key not in compiled:
            compiled[key] = compile_template(template, options)
        return compiled[key]

    return remembered


def _offer_secrets(loader: DataLoader) -> None:
    # Templates that meet a vault value ask one context of the whole process, which Ansible's command line sets up.
    # Outside of that command line it is ours, and follows the inventory that is being read.
    global _own_secrets
    if VaultSecretsContext.current(optional=True) is None:
        _own_secrets = VaultSecretsContext([])
        VaultSecretsContext.initialize(_own_secrets)
    if _own_secrets is not None:
        _own_secrets.secrets = loader._vault.secrets or []


def variable_manager(loader: DataLoader, manager: InventoryManager) -> Any:
    """Return Ansible's own merger of variables, for configurations that alter precedence."""
    from ansible.vars.manager import VariableManager

    return VariableManager(loader=loader, inventory=manager)


def host_variables(merger: Any, manager: InventoryManager, loader: DataLoader) -> Any:
    """Return Ansible's ``hostvars``."""
    from ansible.vars.hostvars import HostVars

    return HostVars(inventory=manager, variable_manager=merger, loader=loader)


def exact_variables(merger: Any, manager: InventoryManager, host: str) -> dict[str, Any]:
    """Return a host's variables as Ansible's VariableManager merges them, without facts and hostvars."""
    found: dict[str, Any] = merger.get_vars(host=manager.hosts[host], include_hostvars=False)
    return found

"""What one host shall become, and where each part of it was decided.

The same compilation serves ``raceway inventory show`` and, through ``compile_vars``, the action plugin on the way to
the node. It deliberately refuses a host whose declaration has errors: half a desired state is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raceway import roles as registry
from raceway.errors import RacewayError
from raceway.inventory import ansible_api, ansible_render
from raceway.inventory.check import check_host
from raceway.inventory.compiler import Compiler, role_module
from raceway.inventory.evaluate import DEFAULT_ROLES, ROLES, HostValues, evaluator_of
from raceway.inventory.findings import ERROR, Finding
from raceway.inventory.load import no_garbage_collection
from raceway.inventory.origin import Origin
from raceway.inventory.source import Inventory
from raceway.inventory.specs import RoleSpec, Specs, load_specs
from raceway.inventory.validate import check_value, closest
from raceway.model.needs import Merged

SHOWN = 5  # host names an error lists


@dataclass(frozen=True)
class Source:
    """Where one variable's value comes from: who says so, the place, and the places it outranks."""

    who: str
    origin: Origin
    outranks: tuple[tuple[str, Origin], ...] = ()


@dataclass(frozen=True)
class Desired:
    """``roles``: role → ``{"allow": […], "nouns": {noun: spec}}`` as the node gets it; ``values``: role → variables."""

    host: str
    roles: Mapping[str, Mapping[str, Any]]
    values: Mapping[str, Mapping[str, Any]]
    sources: Mapping[str, Source]
    merged: tuple[Merged, ...]
    hidden: frozenset[str]


def desired(inventory: Inventory, host: str, roles_dir: Path | None = None) -> Desired:
    """Return the desired state of a host; RacewayError for an unknown host or a declaration with errors."""
    known_host(inventory, host)
    evaluator = evaluator_of(inventory, load_specs(roles_dir))
    state = evaluator.host(host)
    refuse_broken([state])
    _refuse(host, [finding for finding in check_host(inventory, host, roles_dir) if finding.severity == ERROR])
    compiler = Compiler()
    compiled = _compiled(compiler, state, evaluator.specs)
    names = [name for role in state.enabled for name in state.roles[role]]
    sources = {name: _source(inventory, evaluator.specs, host, name) for name in names}
    merged = compiler.merged(state)
    values = {role: state.roles[role] for role in state.enabled}
    return Desired(host, compiled, values, sources, merged, _hidden(inventory, evaluator.specs, state))


def compile_all(inventory: Inventory, roles_dir: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the desired state of every node without origins: what a fleet report or the bench needs."""
    evaluator = evaluator_of(inventory, load_specs(roles_dir))
    with no_garbage_collection():
        states = [evaluator.host(host) for host in inventory.nodes]
        refuse_broken(states)
        compiler = Compiler()
        return {state.host: _compiled(compiler, state, evaluator.specs) for state in states}


def _compiled(compiler: Compiler, state: HostValues, specs: Specs) -> dict[str, Any]:
    for role in state.enabled:
        if role not in specs:
            raise RacewayError(f"{state.host}: {ROLES}", f'unknown role "{role}"', ", ".join(specs), "correct the name")
    return compiler.host(state)


def compile_vars(values: Mapping[str, Any], host: str, roles_dir: Path | None = None) -> dict[str, Any]:
    """Return role → state for the node program from a host's variables, templates already filled in by the caller.

    ``values`` may hold anything (Ansible's task variables); what no role knows is left alone. Role defaults fill in
    what is absent. Raises one RacewayError that tells all wrong values.
    """
    specs, values = load_specs(roles_dir), {**_magic(host), **values}
    roles: dict[str, dict[str, Any]] = {}
    wrong: list[str] = []
    for role, spec in specs.items():
        roles[role], told = _typed(spec, values)
        wrong += told
    if wrong:
        raise RacewayError(host, "; ".join(wrong), act="raceway inventory check tells the places to correct")
    chosen = values.get(ROLES)
    enabled = tuple(str(role) for role in chosen) if isinstance(chosen, (list, tuple)) else tuple(DEFAULT_ROLES)
    _refuse(host, _broken_rules(roles, enabled))
    return _compiled(Compiler(), HostValues(host, roles, enabled, frozenset(), own=frozenset(roles)), specs)


def resolved(values: Mapping[str, Any], host: str, role: str, roles_dir: Path | None = None) -> dict[str, Any]:
    """Return one role's variables as ``compile_vars`` would take them: typed, with defaults filled in."""
    found, wrong = _typed(load_specs(roles_dir)[role], {**_magic(host), **values})
    if wrong:
        raise RacewayError(host, "; ".join(wrong), act="raceway inventory check tells the places to correct")
    return found


def _magic(host: str) -> dict[str, Any]:
    """What defaults may be made of, for a caller that gives nothing of Ansible's own."""
    return {"inventory_hostname": host, "groups": {}}


def _typed(spec: RoleSpec, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    found: dict[str, Any] = {}
    wrong: list[str] = []
    for name, option in spec.options.items():
        if name in values:
            # Only YAML has types; what came by -e or from an INI file is read by its words, as `check` does.
            typed = bool((ansible_api.origin_of(values[name]) or Origin()).column)
            found[name], problems = check_value(option, values[name], untyped=not typed)
            wrong += [f"{one.path}: {one.found} (allowed: {one.allowed or one.act})" for one in problems]
        elif name in spec.defaults:
            found[name] = _default(spec, name, values)
    return found, wrong


def _broken_rules(roles: Mapping[str, Mapping[str, Any]], enabled: Iterable[str]) -> list[Finding]:
    known = [role for role in enabled if role in registry.ROLES]
    rows = [row for role in known for row in role_module(role).rules(roles[role]) if row.severity == ERROR]
    return [Finding(row.variable, row.found, row.allowed, row.act, origin=Origin(note="its variables")) for row in rows]


def known_host(inventory: Inventory, host: str) -> None:
    """Raise RacewayError, with names that are close, when the inventory holds no such host."""
    if host in inventory.hosts:
        return
    near = closest(host, inventory.hosts)
    rest = len(inventory.hosts) - SHOWN
    some = ", ".join(inventory.hosts[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    act = f"did you mean {near}?" if near else "list the hosts with ansible-inventory --list"
    raise RacewayError(f"host {host}", "not in the inventory", some or "no host at all", act)


def _default(spec: RoleSpec, name: str, values: Mapping[str, Any]) -> Any:
    value = spec.defaults[name]
    if ansible_render.holds_template(value):
        value = ansible_render.render(ansible_api.new_loader(), value, {**spec.defaults, **values})
    return check_value(spec.options[name], value)[0]


def refuse_broken(states: Iterable[HostValues]) -> None:
    """Raise RacewayError for the first host with an unusable value; a vault nobody can open is one of these."""
    for state in states:
        _refuse(state.host, state.findings)


def _refuse(host: str, findings: Sequence[Finding]) -> None:
    if not findings:
        return
    first, rest = findings[0], len(findings) - 1
    more = f" (and {rest} more error{'s' if rest > 1 else ''})" if rest else ""
    raise RacewayError(
        f"{host}: {first.variable}",
        f"{first.found}{more}, at {first.origin}",
        first.allowed,
        "run raceway inventory check to see all errors",
    )


def _source(inventory: Inventory, specs: Specs, host: str, name: str) -> Source:
    places = inventory.origins(host, name)
    for spec in specs.values():
        if name in spec.origins:
            places.append((f"default of role {spec.role}", spec.origins[name]))
    if not places:
        return Source("nobody", Origin())
    return Source(places[0][0], places[0][1], tuple(places[1:]))


def _hidden(inventory: Inventory, specs: Specs, state: HostValues) -> frozenset[str]:
    hidden = set(state.hidden)
    for role in state.enabled:
        for name in state.roles[role]:
            option = specs[role].options.get(name)
            if (option and option.secret) or inventory.encrypted(state.host, name):
                hidden.add(name)
    return frozenset(hidden)


__all__ = ["Desired", "Source", "compile_all", "compile_vars", "desired", "known_host", "resolved"]

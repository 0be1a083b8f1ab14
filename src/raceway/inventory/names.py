"""Names that nothing will ever read: ``<role>_*`` and ``raceway_*`` variables no role knows, roles that do not exist.

Each place of variables is looked at once, not once per host, so a misspelt variable of a group is one finding.
It deliberately leaves variables alone that begin with no known role's name.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from raceway.inventory.evaluate import FOREIGN, GLOBALS, ROLES, HostValues
from raceway.inventory.findings import WARNING, Collector, Finding
from raceway.inventory.origin import Origin
from raceway.inventory.source import Inventory, Layer
from raceway.inventory.specs import Specs
from raceway.inventory.validate import closest, did_you_mean


def unknown_variables(
    inventory: Inventory, specs: Specs, findings: Collector, only: frozenset[str] | None = None
) -> None:
    """Report each place with a variable that looks like a role's and is none; ``only`` limits the hosts that count."""
    known = {name for spec in specs.values() for name in spec.options} | set(GLOBALS)
    prefixes = tuple([spec.prefix for spec in specs.values()] + ["raceway_"])
    foreign = tuple(_foreign(inventory))
    verdicts: dict[str, bool] = {}
    for layer, hosts in inventory.every_layer():
        touched = hosts if only is None else tuple(host for host in hosts if host in only)
        if only is not None and not touched:
            continue
        for key in layer.data:
            name = str(key)
            if name not in verdicts:
                verdicts[name] = name.startswith(prefixes) and name not in known and not _matches(name, foreign)
            if verdicts[name]:
                findings.add(_unknown(name, layer, known), touched)
        _priority(layer, findings, touched)


def _unknown(name: str, layer: Layer, known: Iterable[str]) -> Finding:
    role = name.split("_")[0]
    near = did_you_mean(name, known)
    act = near or f"remove it, or add a pattern for it to {FOREIGN} if another product reads it"
    found = f"unknown variable (no role reads it; looks like one of {role})"
    allowed = "" if near else ", ".join(sorted(one for one in known if one.startswith(f"{role}_")))
    return Finding(name, found, allowed, act, origin=layer.origin(name))


def _priority(layer: Layer, findings: Collector, hosts: Iterable[str]) -> None:
    # Ansible takes the priority from the inventory source itself; group_vars are read after the order is fixed.
    name = "ansible_group_priority"
    if layer.where.startswith("group ") and name in layer.data:
        act = "move it to vars: of the group in the inventory file"
        found = "has no effect in group_vars"
        findings.add(Finding(name, found, "", act, (), layer.origin(name), WARNING), hosts)


def _foreign(inventory: Inventory) -> Iterable[str]:
    for layer, _ in inventory.every_layer():
        patterns = layer.data.get(FOREIGN)
        if isinstance(patterns, list):
            yield from (str(one) for one in patterns)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def unknown_roles(state: HostValues, specs: Specs, inventory: Inventory, findings: Collector) -> None:
    """Report a name in ``raceway_roles`` that is no role."""
    for role in state.enabled:
        if role in specs:
            continue
        origin = next((place for _, place in inventory.origins(state.host, ROLES)), Origin())
        near = closest(role, specs, cutoff=0.6)  # short names: one wrong letter of three is still near
        act = f"did you mean {near}?" if near else "write one of them"
        findings.add(
            Finding(ROLES, f'unknown role "{role}"', ", ".join(sorted(specs)), act, origin=origin), (state.host,)
        )

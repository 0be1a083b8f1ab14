"""Compile many hosts: what hosts share is compiled once, with the same result as ``raceway.roles.compile_host``.

Hosts whose role values are the very same dict (see ``evaluate``) get the very same specs: 10,000 hosts in a few hundred
groups cost a few hundred compilations and little memory. It deliberately changes no rule: a test holds both ways equal.
"""

from __future__ import annotations

import functools
from typing import Any

from raceway import roles as registry
from raceway.inventory.evaluate import HostValues
from raceway.model.needs import Merged, Need, merge

# Asked for each host; the import system's own answer takes 20 µs.
role_module = functools.lru_cache(maxsize=None)(registry.role)
read_roles = functools.lru_cache(maxsize=None)(registry.reads)


class Compiler:
    """Compiles hosts of one evaluator. The keys below are identities of objects that the evaluator keeps alive."""

    def __init__(self) -> None:
        self._needs: dict[tuple[str, int], list[Need]] = {}
        self._merged: dict[tuple[int, ...], tuple[Merged, ...]] = {}
        self._lasting: set[int] = set()
        self._specs: dict[tuple[str | int, ...], dict[str, Any]] = {}

    def merged(self, state: HostValues) -> tuple[Merged, ...]:
        """Return the kernel needs of a host's roles, merged; RacewayError when two roles ask for different things."""
        chosen = registry.enabled(state.enabled)
        asked = {role: self._asked(state, role) for role in chosen}
        if any(role in state.own for role, needs in asked.items() if needs):
            return merge(need for role in chosen for need in asked[role])
        key = tuple(id(needs) for needs in asked.values() if needs)
        if key not in self._merged:
            self._merged[key] = merge(need for role in chosen for need in asked[role])
            self._lasting.add(id(self._merged[key]))
        return self._merged[key]

    def host(self, state: HostValues) -> dict[str, dict[str, Any]]:
        """Return role → state for the node program, equal to ``registry.compile_host`` of the same values."""
        merged = self.merged(state)
        kept = id(merged) in self._lasting
        platform = state.roles["node"]["node_platform"]
        rows = {}
        for role in registry.enabled(state.enabled):
            sources = [role, *(other for other in read_roles(role) if other in state.roles)]
            if not kept or any(one in state.own for one in sources):
                rows[role] = _compiled(role, state, merged, platform)
                continue
            key = (role, *(id(state.roles[one]) for one in sources), id(merged), platform)
            if key not in self._specs:
                self._specs[key] = _compiled(role, state, merged, platform)
            rows[role] = self._specs[key]
        return rows

    def _asked(self, state: HostValues, role: str) -> list[Need]:
        if role in state.own:
            return _needs(state, role)
        key = (role, id(state.roles[role]))
        if key not in self._needs:
            self._needs[key] = _needs(state, role)
        return self._needs[key]


def _needs(state: HostValues, role: str) -> list[Need]:
    if state.roles[role].get(f"{role}_state", "present") != "present":
        return []
    return list(role_module(role).needs(state.roles[role]))


def _compiled(role: str, state: HostValues, merged: tuple[Merged, ...], platform: str) -> dict[str, Any]:
    return {
        "allow": registry.consent(role, state.roles[role]),
        "nouns": role_module(role).desired(registry.seen(role, state.roles), merged, platform),
    }

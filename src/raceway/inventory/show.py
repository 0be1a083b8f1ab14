"""A desired state as data to print: values with their origins, needs with their askers, specs as the node gets them.

Secrets and vault values are masked everywhere they flow to, not only where they stand. It deliberately returns plain
data: the command line turns it into text or JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raceway.inventory.desired import Desired, Source
from raceway.inventory.values import SECRET, VAULT, plain, secret_name

SHORTEST_SECRET = 4  # shorter texts (a "1", an "on") are found in innocent places and hide nothing when masked there


def as_data(state: Desired, role: str = "") -> dict[str, Any]:
    """Return everything about a host's desired state (or one role of it) in plain types, masked."""
    secrets = [text for name in state.hidden for text in _leaves(_value(state, name))]
    chosen = [name for name in state.roles if not role or name == role]
    return {
        "host": state.host,
        "roles": {name: _role(state, name, secrets) for name in chosen},
        "kernel_needs": [
            {
                "kind": need.kind,
                "key": need.key,
                "value": SECRET if secret_name(need.key) else _mask(need.value, secrets),
                "asked_by": [_asker(state, asker) for asker in need.asked_by],
                "why": need.why,
            }
            for need in state.merged
            if not role or role == "kernel"
        ],
    }


def _role(state: Desired, role: str, secrets: list[str]) -> dict[str, Any]:
    compiled = state.roles[role]
    return {
        "allow": list(compiled["allow"]),
        "variables": {
            name: {
                "value": VAULT if name in state.hidden else _mask(plain(value), secrets),
                **_from(state.sources[name]),
            }
            for name, value in sorted(state.values[role].items())
        },
        "nouns": _mask(plain(compiled["nouns"]), secrets),
    }


def _from(source: Source) -> dict[str, Any]:
    return {
        "from": source.who,
        "at": str(source.origin),
        "outranks": [f"{who} ({origin})" for who, origin in source.outranks],
    }


def _asker(state: Desired, asker: str) -> dict[str, str]:
    # A wish of the operator's is named by its variable, which has a place; a role's own wish is named by its words.
    source = state.sources.get(asker)
    return {"asker": asker, "at": f"{source.who}, {source.origin}" if source else ""}


def _value(state: Desired, name: str) -> Any:
    return next((values[name] for values in state.values.values() if name in values), None)


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for row in value.values() for text in _leaves(row)]
    if isinstance(value, (list, tuple)):
        return [text for row in value for text in _leaves(row)]
    text = str(value)
    return [text] if not isinstance(value, bool) and value is not None and len(text) >= SHORTEST_SECRET else []


def _mask(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, Mapping):
        confidential = value.get("secret") is True  # a file or unit declared as such keeps its content to itself
        return {key: SECRET if confidential and key == "content" else _mask(row, secrets) for key, row in value.items()}
    if isinstance(value, list):
        return [_mask(row, secrets) for row in value]
    if not isinstance(value, bool) and any(secret in str(value) for secret in secrets):
        return VAULT
    return value

"""Roles as pure functions: what the variables of a role mean for a node, and what they ask of the kernel.

Each module ``<role>.py`` has three functions over the role's variables (full names, defaults filled in):
``rules(values)`` cross-variable problems; ``needs(values)`` wishes to the kernel; ``desired(values, merged, shared)``
noun → JSON spec for the node program. Kernel needs of *all* enabled roles are merged here and handed to the kernel
role alone, which writes them. It deliberately reads no file: defaults and specs are the inventory's business.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..errors import RacewayError
from ..model.needs import Merged, Need, merge
from ..model.plan import DESTRUCTIVE, DISRUPTIVE, SAFE
from .problem import Problem

# Order of work on a node; the inventory's raceway_roles picks among them.
ROLES = ("node", "kernel", "system", "rdma", "rails", "roce", "nccl", "acceptance", "diagnose", "kubernetes")
Values = Mapping[str, Any]


class Role(Protocol):
    """The three functions of a role module."""

    def rules(self, values: Values) -> list[Problem]:
        """Return problems that no single variable shows."""

    def needs(self, values: Values) -> list[Need]:
        """Return what the role asks of the kernel."""

    def desired(self, values: Values, merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
        """Return noun → JSON spec."""


def role(name: str) -> Role:
    """Return a role's module; RacewayError with the known names for any other."""
    if name not in ROLES:
        raise RacewayError("raceway_roles", f"{name!r}", ", ".join(ROLES), "take the name out or correct it")
    module: Role = importlib.import_module(f".{name}", __package__)
    return module


def enabled(names: Iterable[str]) -> tuple[str, ...]:
    """Return the enabled roles in order of work; the order people write does not matter."""
    wanted = set(names)
    for name in sorted(wanted - set(ROLES)):
        role(name)
    return tuple(name for name in ROLES if name in wanted)


def merged_needs(values: Mapping[str, Values], names: Iterable[str]) -> tuple[Merged, ...]:
    """Return the kernel needs of all enabled roles, merged by rule; an absent role asks for nothing."""
    return merge(
        need
        for name in enabled(names)
        if values[name].get(f"{name}_state", "present") == "present"
        for need in role(name).needs(values[name])
    )


def compile_host(values: Mapping[str, Values], names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the desired state of one host for the node program: role → ``{"allow": […], "nouns": {noun: spec}}``.

    ``values``: role → its variables by full name, for each enabled role and for ``node`` (everybody's platform).
    """
    chosen = enabled(names)
    platform = values["node"]["node_platform"]
    merged = merged_needs(values, chosen)
    return {
        name: {"allow": consent(name, values[name]), "nouns": role(name).desired(seen(name, values), merged, platform)}
        for name in chosen
    }


def reads(name: str) -> tuple[str, ...]:
    """Return the roles whose variables a role sees besides its own: what is declared there is not declared twice."""
    return tuple(getattr(role(name), "READS", ()))


def seen(name: str, values: Mapping[str, Values]) -> Values:
    """Return the variables that a role's ``desired`` is given; a role that does not exist (yet) is not missed."""
    others = [values[other] for other in reads(name) if other in values]
    return {key: value for one in (*others, values[name]) for key, value in one.items()} if others else values[name]


def consent(name: str, values: Values) -> list[str]:
    """Return the risks a role may take: safe always, others by ``<role>_allow_disruptive`` and ``_destructive``."""
    risks = [risk for risk in (DISRUPTIVE, DESTRUCTIVE) if values.get(f"{name}_allow_{risk}", False)]
    return [SAFE, *risks]

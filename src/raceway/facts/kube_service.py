"""A service that a noun owns together with its settings: how systemd shows it, and what it was before raceway.

It deliberately holds no settings: those are compared by the noun that writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

from .unit import UnitState


@dataclass(frozen=True)
class ServiceFacts:
    """``enabled``, ``active``: unit → what it was; ``pending``: unit → the run that still has former content."""

    state: UnitState = field(default_factory=UnitState)
    enabled: Mapping[str, str] = field(default_factory=dict)
    active: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def owed(self, unit: str) -> bool:
        """Tell whether a restart is still owed: the run that the ledger remembers is the one that goes on."""
        return bool(self.pending.get(unit)) and self.pending[unit] == self.state.invocation

"""Hardware is not converged."""

from __future__ import annotations

from raceway.apply.machine import HANDLERS
from raceway.node.registry import noun


def test_the_machine_noun_can_write_nothing() -> None:
    assert HANDLERS == {} and noun("machine").prepare is None

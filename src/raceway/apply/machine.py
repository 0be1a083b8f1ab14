"""Nothing is written for the ``machine`` noun: hardware that differs from its declaration is told, not converged."""

from __future__ import annotations

from typing import Callable, Dict

HANDLERS: Dict[str, Callable[..., None]] = {}

"""Nothing is written for the ``kube_host`` noun: a machine that cannot carry pods is refused, not changed."""

from __future__ import annotations

from typing import Callable, Dict

HANDLERS: Dict[str, Callable[..., None]] = {}

"""How long the counters of which RoCE ports are watched when a node is verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Tuple

from .qos import Qos
from .qos import parse as parse_qos
from .roce import Port, ports_of

LONGEST_S = 60  # a node call that takes longer is taken for dead


@dataclass(frozen=True)
class RoceWatchDesired:
    """``seconds`` between the two looks; 0: none is taken. ``qos`` says which priorities may be paused."""

    ports: Tuple[Port, ...] = ()
    qos: Qos = field(default_factory=Qos)
    seconds: float = 0.0


def parse(spec: Mapping[str, Any]) -> RoceWatchDesired:
    """Read the JSON form: ``{"ports": [{"pci": …}], "qos": {…}, "seconds": 1}``."""
    return RoceWatchDesired(ports_of(spec), parse_qos(spec.get("qos", {})), float(spec.get("seconds", 0)))

"""The queueing discipline of live interfaces as declared.

It deliberately holds no options of a discipline: its defaults are meant, persistence is net.core.default_qdisc's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Tuple

# Roots that only hand each hardware queue its own child; what counts there are the children.
MULTIQUEUE = ("mq", "mqprio")
# Roots that a kernel puts there by itself: nobody configured anything that a replacement would throw away.
KERNEL_DEFAULTS = ("pfifo_fast", "pfifo", "bfifo", "fq", "fq_codel", "fq_pie", "sfq", "cake", "noqueue", "codel", "pie")


@dataclass(frozen=True)
class QdiscDesired:
    """What the ``qdisc`` noun is given. ``kind`` empty: nothing is managed, what was taken over is given back."""

    kind: str = ""
    default_route: bool = False
    interfaces: Tuple[str, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> QdiscDesired:
    """Read the JSON form: ``{"kind", "default_route", "interfaces", "platform"}``."""
    default = QdiscDesired()
    return QdiscDesired(
        spec.get("kind", ""),
        bool(spec.get("default_route", False)),
        tuple(spec.get("interfaces", ())),
        spec.get("platform", default.platform),
    )

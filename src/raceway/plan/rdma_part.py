"""What each part of the rdma plan hands back: its plan, and the ledger's keys that its declaration still wants.

A key that no part wants is given back. Files of names that other software uses too are touched only where raceway wrote
them or has something to write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Iterable, Tuple, Union

from ..facts.rdma import DeviceFacts, RdmaFacts
from ..model.plan import Noop, Plan, Reboot, Refusal, Step, join, sort
from ..model.rdma import Device, RdmaDesired
from .dropin import plan_file

Outcome = Union[Step, Noop, Refusal, Reboot]


@dataclass(frozen=True)
class Part:
    """``keys``: ``<what> <label>`` of everything that stays raceway's."""

    plan: Plan = field(default_factory=Plan)
    keys: FrozenSet[str] = frozenset()


def part(outcomes: Iterable[Outcome], keys: Iterable[str] = (), *plans: Plan) -> Part:
    """Return a part of files first, then single outcomes in their order."""
    return Part(join([*plans, sort(outcomes)]), frozenset(keys))


def own_file(path: str, text: str, facts: RdmaFacts, why: str) -> Plan:
    """Return what makes a file hold ``text``, or takes ours away; a foreign one is nobody's business then."""
    if not text and path not in facts.owned_files:
        return Plan()
    return plan_file(path, text, facts.files.get(path), why)


def found(desired: RdmaDesired, facts: RdmaFacts) -> Tuple[Tuple[Device, DeviceFacts], ...]:
    """Return the declared devices that are there."""
    rows = ((device, facts.devices.get(device.label)) for device in desired.devices)
    return tuple((device, shown) for device, shown in rows if shown is not None)

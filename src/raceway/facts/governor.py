"""What cpufreq says: per policy (CPUs that share a clock) the governor in force and the ones its driver offers.

Input is ``policyN/scaling_governor`` and ``policyN/scaling_available_governors``::

    powersave
    performance powersave
    conservative ondemand userspace powersave performance schedutil
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

from .bootwriter import BootWrite


@dataclass(frozen=True)
class Policy:
    """One cpufreq policy."""

    governor: str
    offered: Tuple[str, ...] = ()


@dataclass(frozen=True)
class GovernorFacts:
    """Policies by name (empty: no cpufreq), our boot file, other writers at boot, originals we keep."""

    policies: Mapping[str, Policy] = field(default_factory=dict)
    own_file: Optional[str] = None
    tmpfiles: Tuple[BootWrite, ...] = ()
    tuned: Tuple[BootWrite, ...] = ()
    owned: Mapping[str, str] = field(default_factory=dict)


def parse_policy(governor: str, offered: str) -> Policy:
    """Return one policy from the text of its two files."""
    return Policy(governor.strip(), tuple(offered.split()))

"""The CPU frequency governor as declared, one for the whole node; empty means that raceway leaves it alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

POLICIES = "/sys/devices/system/cpu/cpufreq/policy*"


@dataclass(frozen=True)
class GovernorDesired:
    """What the ``governor`` noun is given."""

    governor: str = ""
    platform: str = "bare_metal"
    file: str = "/etc/tmpfiles.d/raceway-governor.conf"


def parse(spec: Mapping[str, Any]) -> GovernorDesired:
    """Read the JSON form: ``{"governor", "platform"}``."""
    default = GovernorDesired()
    return GovernorDesired(
        spec.get("governor", ""), spec.get("platform", default.platform), spec.get("file", default.file)
    )

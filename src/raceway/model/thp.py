"""Transparent huge pages as declared: when the kernel uses them, and how hard it tries to make one.

An empty string means that raceway leaves that file alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping

FOLDER = "/sys/kernel/mm/transparent_hugepage"


@dataclass(frozen=True)
class ThpDesired:
    """What the ``thp`` noun is given."""

    enabled: str = ""
    defrag: str = ""
    platform: str = "bare_metal"
    file: str = "/etc/tmpfiles.d/raceway-thp.conf"

    @property
    def knobs(self) -> Dict[str, str]:
        """Return file name → declared value of what is managed."""
        return {name: value for name, value in (("enabled", self.enabled), ("defrag", self.defrag)) if value}


def parse(spec: Mapping[str, Any]) -> ThpDesired:
    """Read the JSON form: ``{"enabled", "defrag", "platform"}``."""
    default = ThpDesired()
    return ThpDesired(
        spec.get("enabled", ""),
        spec.get("defrag", ""),
        spec.get("platform", default.platform),
        spec.get("file", default.file),
    )

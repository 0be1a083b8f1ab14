"""Resource limits as declared, in the unit of limits.conf(5): KiB for sizes, a count for nofile and nproc.

systemd counts bytes where limits.conf counts KiB; ``systemd_value`` is the only place that converts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

LIMITS_FILE = "/etc/security/limits.d/90-raceway.conf"
MANAGER_FILE = "/etc/systemd/system.conf.d/90-raceway.conf"
# Items by their limits.conf name: the name systemd uses and the size of limits.conf's unit in systemd's.
ITEMS: Dict[str, Tuple[str, int]] = {
    "memlock": ("MEMLOCK", 1024),
    "nofile": ("NOFILE", 1),
    "nproc": ("NPROC", 1),
    "stack": ("STACK", 1024),
    "core": ("CORE", 1024),
}
UNLIMITED = "unlimited"


@dataclass(frozen=True)
class Limit:
    """One declared limit, soft and hard alike. ``value``: ``unlimited`` or a number in limits.conf's unit."""

    item: str
    value: str
    asked_by: Tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class LimitDesired:
    """What the ``limit`` noun is given."""

    limits: Tuple[Limit, ...] = ()
    platform: str = "bare_metal"
    limits_file: str = LIMITS_FILE
    manager_file: str = MANAGER_FILE


def parse(spec: Mapping[str, Any]) -> LimitDesired:
    """Read the JSON form: ``{"limits": [{"item", "value", "asked_by", "why"}], "platform"}``."""
    limits = tuple(
        Limit(row["item"], _folded(row["value"]), tuple(row.get("asked_by", ())), row.get("why", ""))
        for row in spec.get("limits", ())
    )
    default = LimitDesired()
    return LimitDesired(
        limits,
        spec.get("platform", default.platform),
        spec.get("limits_file", default.limits_file),
        spec.get("manager_file", default.manager_file),
    )


def _folded(value: Any) -> str:
    text = str(value).strip()
    return UNLIMITED if text in ("infinity", "-1") else text


def setting_of(item: str) -> str:
    """Return systemd's manager setting of an item.

    >>> setting_of("memlock")
    'DefaultLimitMEMLOCK'
    """
    return f"DefaultLimit{ITEMS[item][0]}"


def systemd_value(limit: Limit) -> str:
    """Return the value as systemd writes and shows it.

    >>> systemd_value(Limit("memlock", "64")), systemd_value(Limit("nofile", "1048576"))
    ('65536', '1048576')
    """
    return "infinity" if limit.value == UNLIMITED else str(int(limit.value) * ITEMS[limit.item][1])


def at_least(shown: str, wanted: str) -> bool:
    """Tell whether one of systemd's values allows as much as another.

    >>> at_least("infinity", "1"), at_least("8388608", "infinity"), at_least("8M", "8388608")
    (True, False, True)
    """
    return amount(shown) >= amount(wanted)


def amount(value: str) -> float:
    """Return one of systemd's values as a number (``8M``, ``infinity``, ``soft:hard`` gives the soft one)."""
    text = value.split(":", 1)[0].strip()
    # Older systemd shows "no limit" as the largest 64-bit number.
    if text in ("infinity", "18446744073709551615"):
        return float("inf")
    scale = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1:].upper(), 1)
    number = text[:-1] if scale > 1 else text
    return float(number) * scale if number.isdigit() else 0.0

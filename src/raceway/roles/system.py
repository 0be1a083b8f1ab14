"""The system role's variables: a site's own packages, files, units and mounts, by the same steps as everything else.

It deliberately knows no product: what a package or a unit is for is the site's business.
"""

from __future__ import annotations

from typing import Any

from ..model.needs import MODULE, Merged, Need
from .problem import Problem

# File systems that are part of every kernel, or need no module of their own.
ALWAYS_THERE = ("tmpfs", "bind", "none", "proc", "sysfs", "hugetlbfs")
# File systems whose module is named otherwise.
MODULES = {"nfs": "nfsv3", "nfs4": "nfsv4", "vfat": "vfat"}


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return things declared twice: two files at one path, two mounts on one folder, two units of one name."""
    rows = []
    for variable, key in (("system_files", "path"), ("system_mounts", "path"), ("system_units", "name")):
        seen: set[str] = set()
        for row in values[variable]:
            if row[key] in seen:
                rows.append(Problem(variable, f"{row[key]} twice", "each once", "merge the two entries"))
            seen.add(row[key])
    for row in values["system_files"] + values["system_mounts"]:
        if not row["path"].startswith("/"):
            variable = "system_files" if row in values["system_files"] else "system_mounts"
            rows.append(Problem(variable, row["path"], "an absolute path", "write it from / on"))
    return rows


def needs(values: dict[str, Any]) -> list[Need]:
    """Return the modules of the declared file systems: a mount at boot must not wait for a first use to load them."""
    kinds = sorted({row["fstype"] for row in values["system_mounts"]} - set(ALWAYS_THERE))
    return [Need(MODULE, MODULES.get(k, k), "", "system_mounts", f"a declared mount is of type {k}") for k in kinds]


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of packages, files, units and mounts; an absent role declares none."""
    del merged  # kernel needs are the kernel role's to carry out
    present = values["system_state"] == "present"
    names = values["system_packages"] if present else []
    return {
        "package": {
            "packages": [{"name": name, "asked_by": ["system_packages"]} for name in names],
            "platform": platform,
        },
        "file": {"files": values["system_files"] if present else [], "platform": platform},
        "mount": {"mounts": values["system_mounts"] if present else [], "platform": platform},
        "unit": {"units": values["system_units"] if present else [], "packages": names, "platform": platform},
    }

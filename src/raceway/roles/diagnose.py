"""The diagnose role's variables: the tools a node should have before something breaks, and the limits of a bundle.

Gathering is no state of a node, so only the packages become desired state; ``request`` is what playbooks/diagnose.yml
sends. It deliberately has no variable that lets gathering change a node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..model.evidence import CAPTURES, KIB, MIB
from ..model.needs import Merged, Need
from ..model.package import bad_name
from .problem import Problem

# Variable → smallest and largest value, with what the limits are for.
RANGES = {
    "diagnose_interval_s": (1, 600, "both readings fit into one call"),
    "diagnose_capture_s": (1, 120, "a capture is a sample, not a record"),
    "diagnose_capture_packets": (1, 100_000, "the node keeps captures in memory"),
    "diagnose_capture_snap_bytes": (62, 256, "62 bytes end behind the base transport header over IPv4"),
    "diagnose_dmesg_kib": (1, 16_384, "the end of the kernel log is kept"),
    "diagnose_file_kib": (1, 65_536, "one text must not fill the bundle"),
    "diagnose_size_mib": (1, 64, "the bundle travels as one answer"),
    "diagnose_limit_s": (5, 900, "a node in trouble must not be held for long"),
}
_INTERFACE = re.compile(r"[^\s/]{1,15}")


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return numbers out of range, times that do not fit into each other, names that can be none."""
    rows = []
    for name, (least, most, why) in RANGES.items():
        if not least <= values[name] <= most:
            rows.append(Problem(name, str(values[name]), f"{least} to {most}", why))
    longest = values["diagnose_interval_s"] + values["diagnose_capture_s"]
    if not rows and values["diagnose_limit_s"] <= longest:
        found = f"{values['diagnose_limit_s']}, interval and capture take {longest}"
        rows.append(Problem("diagnose_limit_s", found, f"more than {longest}", "raise it, or shorten the two"))
    for name in values["diagnose_interfaces"]:
        if not _INTERFACE.fullmatch(name):
            allowed = "a name of at most 15 characters without blank and /"
            rows.append(Problem("diagnose_interfaces", f'"{name}"', allowed, "write the interface's name"))
    for name in values["diagnose_packages"]:
        if bad_name(name):
            rows.append(Problem("diagnose_packages", f'"{name}"', "a package's name", "correct it"))
    return rows


def needs(values: dict[str, Any]) -> list[Need]:
    """Return nothing: whoever looks for a fault must not ask the kernel for anything."""
    del values
    return []


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the spec of the packages; an absent role declares none."""
    del merged
    names = values["diagnose_packages"] if values["diagnose_state"] == "present" else []
    rows = [{"name": name, "asked_by": ["diagnose_packages"]} for name in names]
    return {"package": {"packages": rows, "platform": platform}}


def request(values: Mapping[str, Any], about: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON form of ``raceway.model.evidence.Wanted`` that a host's variables make."""
    same = ("interfaces", "interval_s", "capture_s", "capture_packets", "capture_snap_bytes", "rdma_sniffer")
    return {
        **{name: values[f"diagnose_{name}"] for name in (*same, "limit_s", "hide_addresses")},
        "captures": [kind for kind in CAPTURES if kind in values["diagnose_captures"]],
        "dmesg_bytes": values["diagnose_dmesg_kib"] * KIB,
        "file_bytes": values["diagnose_file_kib"] * KIB,
        "size_bytes": values["diagnose_size_mib"] * MIB,
        "about": dict(about),
    }

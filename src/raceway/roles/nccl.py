"""The nccl role's variables: which library, which rails, which of its choices, and packages with versions.

The kind of accelerator is the node's (``node_accelerator_kind``), DSCP and priority are the fabric's (``roce_*``): both
are read, never declared a second time; so is the mode of DPUs (``rdma_devices``). It deliberately takes no traffic
class byte and no list of devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import qos
from ..model.nccl import MOST_DEVICES, NOT_GIVEN, QPS, SELECTORS, version_of
from ..model.needs import Merged, Need
from ..plan.nccl_checks import line_problem
from .problem import Problem
from .selected import selected

READS = ("node", "roce", "rdma")  # roles whose variables this one sees, where they are declared
CHOICES: dict[str, bool | None] = {"": None, "enabled": True, "disabled": False}
# Packages that carry the library itself, by the names of NVIDIA's and AMD's repositories.
LIBRARY_PACKAGES = ("libnccl2", "libnccl", "rccl")
_COPIED = (
    *("version", "cross_nic", "qps_per_connection", "sharp", "net_plugin", "topology_file", "gid_index"),
    *("address_family", "address_range", "sharp_plugin"),
)


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the variables of the role taken together."""
    if values["nccl_state"] != "present":
        return []
    return [
        *_version(values["nccl_version"]),
        *_rails(values["nccl_rails"]),
        *_numbers(values),
        *_environment(values["nccl_environment"]),
        *_packages(values["nccl_packages"], values["nccl_version"]),
    ]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return nothing: memory locking and modules are asked for by the roles that own the RDMA devices."""
    del values
    return []


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of the packages and of the library's file; an absent role declares neither."""
    del merged
    present = values["nccl_state"] == "present"
    packages = values["nccl_packages"] if present else []
    return {
        "package": {
            "packages": [{"name": row["name"], "asked_by": ["nccl_packages"]} for row in packages],
            "platform": platform,
        },
        "nccl": {
            "declaration": declaration(values, platform) if present else None,
            "packages": packages,
            "platform": platform,
        },
    }


def declaration(values: Mapping[str, Any], platform: str) -> dict[str, Any]:
    """Return the JSON form of ``raceway.model.nccl.Declaration`` that a host's variables make."""
    return {
        "kind": values.get("node_accelerator_kind", "none"),
        **{name: values[f"nccl_{name}"] for name in _COPIED},
        "rails": values["nccl_rails"],
        "sockets": values["nccl_socket_interfaces"],
        "adaptive_routing": CHOICES[values["nccl_adaptive_routing"]],
        "pxn": CHOICES[values["nccl_pxn"]],
        "port_failover": CHOICES[values["nccl_port_failover"]],
        "dpu": _dpus(values),
        "extra": {name: str(value) for name, value in values["nccl_environment"].items()},
        "qos": {name: values[f"roce_{name}"] for name in qos.NAMES if f"roce_{name}" in values},
        "platform": platform,
    }


def _dpus(values: Mapping[str, Any]) -> list[str]:
    """Return the places of devices whose card is to work as a DPU, as the rdma role declares and checks it."""
    rows = [row for row in values.get("rdma_devices", []) if row.get("dpu_mode") == "dpu"]
    return [str(row[name]).lower() for row in rows for name in ("pci", "guid") if row.get(name)]


def _version(text: str) -> list[Problem]:
    if version_of(text):
        return []
    act = "give the version that jobs load: what is to be set depends on it"
    return [Problem("nccl_version", f'"{text}"', "a version such as 2.27.5", act)]


def _rails(rails: list[dict[str, Any]]) -> list[Problem]:
    rows: list[Problem] = []
    places: set[tuple[int, int]] = set()
    devices: set[tuple[str, int]] = set()
    for row in rails:
        value, problems = selected("nccl_rails", row, SELECTORS, "rail")
        rows += problems
        if value is None:
            continue
        place, device = (row["rail"], row.get("plane", NOT_GIVEN)), (value.lower(), row.get("port", 1))
        if place in places:
            found = f"rail {place[0]} twice" + (f" in plane {place[1]}" if place[1] != NOT_GIVEN else "")
            rows.append(Problem("nccl_rails", found, "each once", "number rails and planes"))
        if device in devices:
            rows.append(Problem("nccl_rails", f"{value} port {device[1]} twice", "each once", "remove one of the two"))
        places.add(place)
        devices.add(device)
    return rows


def _numbers(values: dict[str, Any]) -> list[Problem]:
    rows = []
    if values["nccl_qps_per_connection"] and values["nccl_qps_per_connection"] not in QPS:
        found = str(values["nccl_qps_per_connection"])
        act = "2 to 4 spread over equal paths"
        rows.append(Problem("nccl_qps_per_connection", found, "0, or 1 to 128", act))
    if len(values["nccl_rails"]) > MOST_DEVICES:
        found = f"{len(values['nccl_rails'])} rails"
        rows.append(Problem("nccl_rails", found, f"at most {MOST_DEVICES}", "NCCL takes no more devices"))
    for row in values["nccl_rails"]:
        if row.get("gid_index", NOT_GIVEN) != NOT_GIVEN and values["nccl_gid_index"] == NOT_GIVEN:
            found = f"rail {row['rail']}: {row['gid_index']}, others choose"
            act = "the library has one setting for all devices: declare nccl_gid_index, or none"
            if any(other.get("gid_index", NOT_GIVEN) != row["gid_index"] for other in values["nccl_rails"]):
                rows.append(Problem("nccl_rails", found, "the same index on every rail", act))
    return rows


def _environment(extra: dict[str, Any]) -> list[Problem]:
    rows = []
    for name, value in extra.items():
        if isinstance(value, (bool, list, dict)) or value is None:
            act = f'write {name}: "{int(value)}"' if isinstance(value, bool) else "write its text in quotes"
            rows.append(Problem("nccl_environment", f"{name}: {value}", "a text or a whole number", act))
        elif line_problem(str(name), str(value)):
            found = f"{name}: {value!r}: {line_problem(str(name), str(value))}"
            rows.append(Problem("nccl_environment", found, "a name and its plain value", "correct it"))
    return rows


def _packages(packages: list[dict[str, Any]], version: str) -> list[Problem]:
    rows = []
    for row in packages:
        pinned = version_of(row.get("version", ""))
        if row["name"] in LIBRARY_PACKAGES and pinned and version_of(version) not in (None, pinned):
            found = f"{row['name']} {row['version']}, nccl_version is {version}"
            rows.append(Problem("nccl_packages", found, "one version of the library", "make the two agree"))
    return rows

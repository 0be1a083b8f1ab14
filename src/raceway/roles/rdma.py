"""The rdma role's variables: the stack, the devices by what cannot move, and what the kernel does with them.

Rails that roce and nccl speak of are the same numbers here. It deliberately writes no modules, boot arguments or limits
of logins: those are asked of the kernel role.
"""

from __future__ import annotations

import re
from typing import Any

from ..model.needs import CMDLINE, LIMIT, MODULE, Merged, Need
from ..model.rdma import ACS_ARGUMENT, BOOT, CONNECTED, OPENSM, READ_REQUESTS, SELECTORS
from ..model.rdma_stack import DOCA
from .problem import Problem
from .selected import selected

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")  # IB_DEVICE_NAME_MAX is 64 with its end
SETTING = re.compile(r"[A-Z][A-Z0-9_]*(\[[0-9]+\])?")
PKEY = re.compile(r"0x[0-9a-fA-F]{1,4}")
UNIT = re.compile(r"[A-Za-z0-9:_.\\-]+\.service")
# Largest MTU in bytes: the InfiniBand MTU less 4 in datagram mode, 64 KiB less the headers in connected mode.
DATAGRAM_MTU, CONNECTED_MTU = 4092, 65520
MEMBERSHIP, PKEYS = 0x8000, range(1, 0x7FFF)


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the variables taken together."""
    if values["rdma_state"] != "present":
        return []
    return [*_stack(values), *_devices(values["rdma_devices"]), *_numbers(values), *_ipoib(values), *_opensm(values)]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return the modules at boot, the boot arguments, and the limit of logins."""
    rows = [
        Need(MODULE, name.replace("-", "_"), "", "rdma_modules", "RDMA programs need it before they start")
        for name in modules(values)
    ]
    if values["rdma_memlock"]:
        why = "RDMA pins the memory it registers"
        rows.append(Need(LIMIT, "memlock", "unlimited", "rdma_memlock", why))
    if values["rdma_iommu"]:
        word, why = values["rdma_iommu"], "DMA of cards and accelerators is not translated page by page"
        rows.append(Need(CMDLINE, word, word, "rdma_iommu", why))
    if values["rdma_acs"] == BOOT:
        why = "peer traffic between GPU and NIC takes no detour"
        rows.append(Need(CMDLINE, ACS_ARGUMENT, ACS_ARGUMENT, "rdma_acs", why))
    return rows


def modules(values: dict[str, Any]) -> list[str]:
    """Return the modules to load at boot: those declared, and the one of a declared IPoIB interface."""
    more = ["ib_ipoib"] if values["rdma_ipoib"] else []
    return list(dict.fromkeys([*values["rdma_modules"], *more]))


def packages(values: dict[str, Any]) -> dict[str, str]:
    """Return package → the variable that asks for it."""
    doca = values["rdma_stack"] == DOCA
    variable = "rdma_doca_packages" if doca else "rdma_packages"
    rows = dict.fromkeys(values[variable], variable)
    if doca:
        rows.setdefault("pciutils", "rdma_acs")
    asks = any(row.get("firmware") or row.get("link_type") or row.get("dpu_mode") for row in values["rdma_devices"])
    if not doca and (asks or (values["rdma_devices"] and firmware(values, {}))):
        rows.setdefault("mstflint", "rdma_firmware")
    if values["rdma_subnet_manager"] == OPENSM:
        rows.setdefault("opensm", "rdma_subnet_manager")
    return rows


def firmware(values: dict[str, Any], device: dict[str, Any]) -> dict[str, int]:
    """Return a device's firmware settings as numbers: everybody's, relaxed ordering, and its own last."""
    ordering = {"": {}, "enabled": {"PCI_WR_ORDERING": 1}, "disabled": {"PCI_WR_ORDERING": 0}}
    rows = {**values["rdma_firmware"], **ordering[values["rdma_relaxed_ordering"]], **(device.get("firmware") or {})}
    return {str(name): int(value) for name, value in rows.items()}


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of the stack, its packages and the RDMA side; an absent role declares nothing."""
    del merged  # kernel needs are the kernel role's to carry out
    if values["rdma_state"] != "present":
        platforms = {"platform": platform}
        return {"rdma_stack": platforms, "package": {"packages": [], **platforms}, "rdma": dict(platforms)}
    asked = packages(values)
    doca = values["rdma_stack"] == DOCA
    return {
        "rdma_stack": {
            "stack": values["rdma_stack"],
            "repository": values["rdma_doca_repository"] if doca else "",
            "key": values["rdma_doca_key"] if doca else "",
            "version": values["rdma_doca_version"] if doca else "",
            "packages": values["rdma_doca_packages"] if doca else [],
            "platform": platform,
        },
        "package": {
            "packages": [{"name": name, "asked_by": [who]} for name, who in asked.items()],
            "platform": platform,
        },
        "rdma": _rdma(values, list(asked), platform),
    }


def _rdma(values: dict[str, Any], asked: list[str], platform: str) -> dict[str, Any]:
    copied = ("naming", "ipoib", "acs", "gpudirect", "subnet_manager", "reset", "persist")
    devices = [{**row, "firmware": firmware(values, row)} for row in values["rdma_devices"]]
    return {
        **{name: values[f"rdma_{name}"] for name in copied},
        "devices": devices,
        "netns": values["rdma_netns_mode"],
        "modules": modules(values),
        "memlock": values["rdma_memlock_units"] if values["rdma_memlock"] else [],
        "read_request": values["rdma_max_read_request"],
        "opensm": {str(name): str(value) for name, value in values["rdma_opensm_options"].items()},
        "partitions": values["rdma_partitions"],
        "packages": asked,
        "platform": platform,
    }


def _stack(values: dict[str, Any]) -> list[Problem]:
    if values["rdma_stack"] != DOCA:
        return []
    rows = []
    if not re.fullmatch(r"https?://[^\s/]+/\S*", values["rdma_doca_repository"]):
        found = values["rdma_doca_repository"] or "empty"
        act = "give the folder of your distribution and architecture, in the vendor's repository or a mirror"
        rows.append(Problem("rdma_doca_repository", found, "an address such as https://mirror.example/doca/", act))
    if "BEGIN PGP PUBLIC KEY BLOCK" not in values["rdma_doca_key"]:
        act = "put the repository's armoured key there: packages of a kernel driver are not taken unsigned"
        rows.append(Problem("rdma_doca_key", "no armoured key", "-----BEGIN PGP PUBLIC KEY BLOCK-----", act))
    if not re.fullmatch(r"[0-9][A-Za-z0-9.+~-]*", values["rdma_doca_version"]):
        act = "pin the version, so that every node has the same driver"
        rows.append(Problem("rdma_doca_version", values["rdma_doca_version"] or "empty", "such as 3.2.1", act))
    if not values["rdma_doca_packages"]:
        rows.append(Problem("rdma_doca_packages", "empty", "such as doca-ofed", "name a profile of DOCA"))
    return rows


def _devices(devices: list[dict[str, Any]]) -> list[Problem]:
    rows: list[Problem] = []
    seen: dict[str, set[str]] = {"selector": set(), "rail": set(), "name": set()}
    for row in devices:
        label = f"rail {row['rail']}"
        value, problems = selected("rdma_devices", row, SELECTORS, "device")
        rows += problems
        if value is None:
            continue
        if row.get("name") and not NAME.fullmatch(row["name"]):
            rows.append(Problem("rdma_devices", f"{label}: name {row['name']}", "letters, digits, _, -", "correct it"))
        rows += _settings("rdma_devices", row.get("firmware") or {}, f"{label}: ")
        for what, text in (("selector", value.lower()), ("rail", str(row["rail"])), ("name", row.get("name") or "")):
            if text and text in seen[what]:
                rows.append(Problem("rdma_devices", f"{what} {text} twice", "each once", "correct one of the two"))
            seen[what].add(text)
    return rows


def _settings(variable: str, settings: dict[str, Any], place: str = "") -> list[Problem]:
    rows = []
    for name, value in settings.items():
        if not SETTING.fullmatch(str(name)):
            act = "take the name that `mlxconfig -d ADDRESS q` prints"
            rows.append(Problem(variable, f"{place}{name}", "a setting such as PCI_WR_ORDERING", act))
        elif str(name).startswith("LINK_TYPE_"):
            act = "declare link_type of the device: what a new one would cut is then looked at first"
            rows.append(Problem(variable, f"{place}{name}", "link_type of a device", act))
        elif not isinstance(value, int):
            act = "write the number in its brackets: ETH(2) is 2, True(1) is 1"
            rows.append(Problem(variable, f"{place}{name}: {value!r}", "a whole number, true or false", act))
    return rows


def _numbers(values: dict[str, Any]) -> list[Problem]:
    rows = _settings("rdma_firmware", values["rdma_firmware"])
    size = values["rdma_max_read_request"]
    if size and size not in READ_REQUESTS:
        allowed = f"0, {', '.join(map(str, READ_REQUESTS))}"
        rows.append(Problem("rdma_max_read_request", str(size), allowed, "the register knows no other sizes"))
    for unit in values["rdma_memlock_units"]:
        if not UNIT.fullmatch(unit):
            rows.append(Problem("rdma_memlock_units", unit, "a name such as containerd.service", "write it whole"))
    for variable in ("rdma_firmware", "rdma_relaxed_ordering"):
        if values[variable] and not values["rdma_devices"]:
            rows.append(Problem(variable, "without a device", "rdma_devices", "declare the devices it is meant for"))
    return rows


def _ipoib(values: dict[str, Any]) -> list[Problem]:
    rows = []
    rails = {row["rail"] for row in values["rdma_devices"]}
    seen: set[tuple[int, int, str]] = set()
    for row in values["rdma_ipoib"]:
        place, pkey = f"rail {row['rail']}", str(row.get("pkey") or "")
        if row["rail"] not in rails:
            rows.append(Problem("rdma_ipoib", place, "a rail of rdma_devices", "declare its device, or correct it"))
        most = CONNECTED_MTU if row.get("mode") == CONNECTED else DATAGRAM_MTU
        if row.get("mtu") and not 68 <= row["mtu"] <= most:
            act = "connected mode takes up to 65520 bytes, datagram mode up to the fabric's MTU less 4 (4092)"
            rows.append(Problem("rdma_ipoib", f"{place}: mtu {row['mtu']}", f"68 to {most}", act))
        if pkey and not (PKEY.fullmatch(pkey) and int(pkey, 16) & MEMBERSHIP and int(pkey, 16) & 0x7FFF in PKEYS):
            act = "a full member's key has its highest bit set: partition 1 is 0x8001"
            rows.append(Problem("rdma_ipoib", f"{place}: pkey {pkey}", "0x8001 to 0xfffe", act))
        key = (row["rail"], row.get("port") or 1, pkey.lower())
        if key in seen:
            rows.append(Problem("rdma_ipoib", f"{place} twice", "each interface once", "merge the two"))
        seen.add(key)
    return rows


def _opensm(values: dict[str, Any]) -> list[Problem]:
    rows = []
    for variable in ("rdma_opensm_options", "rdma_partitions"):
        if values[variable] and values["rdma_subnet_manager"] != OPENSM:
            act = "set rdma_subnet_manager: opensm, or leave these to the fabric's manager"
            rows.append(Problem(variable, "without an opensm here", "rdma_subnet_manager: opensm", act))
    return rows

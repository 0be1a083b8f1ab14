"""The kernel role's variables: settings, modules, limits, qdisc, huge pages, governor, boot command line.

It deliberately knows no other role: what they need arrives merged, with the names of those who asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..model.needs import CMDLINE, LIMIT, MODULE, SYSCTL, Merged, Need
from ..model.sysctl import bad_value, fold, key_of, knob_for, path_of
from .problem import Problem

MODULE_NAME = re.compile(r"[A-Za-z0-9_-]+")
KEY = re.compile(r"[a-z][A-Za-z0-9_.:@/*-]*[./][A-Za-z0-9_.:@/*-]+")
BUILT_IN_CONTROLS = ("cubic", "reno")  # part of the kernel itself in every distribution kernel we know
LIMIT_VALUE = re.compile(r"unlimited|[1-9][0-9]*")


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the kernel variables taken together."""
    return [
        *_sysctl_rules(values["kernel_sysctl"]),
        *_transport_rules(values),
        *_module_rules(values["kernel_modules"]),
        *_limit_rules(values["kernel_limits"]),
        *_cmdline_rules(values["kernel_cmdline"]),
    ]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return the role's own wishes and, marked as the operator's, those declared key by key."""
    rows = [*_transport_needs(values), *_buffer_needs(values)]
    rows += [
        Need(SYSCTL, key_of(path_of(key)), fold(str(value)), "kernel_sysctl", own=True)
        for key, value in values["kernel_sysctl"].items()
    ]
    rows += [
        Need(MODULE, row["name"].replace("-", "_"), row.get("options") or "", "kernel_modules", own=True)
        for row in values["kernel_modules"]
    ]
    rows += [
        Need(LIMIT, item, str(value), "kernel_limits", own=True) for item, value in values["kernel_limits"].items()
    ]
    rows += [Need(CMDLINE, word, word, "kernel_cmdline", own=True) for word in values["kernel_cmdline"]]
    return rows


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of the kernel nouns; an absent role declares nothing, so that everything is given back."""
    present = values["kernel_state"] == "present"
    rows = merged if present else ()
    packages = values["kernel_packages"] if present else []
    modules = [{"name": m.key, "options": m.value, **_why(m)} for m in rows if m.kind == MODULE]
    return {
        "package": {
            "packages": [{"name": name, "asked_by": ["kernel_packages"]} for name in packages],
            "platform": platform,
        },
        "module": {"modules": modules, "platform": platform},
        "sysctl": {
            "settings": [{"key": m.key, "value": m.value, **_why(m)} for m in rows if m.kind == SYSCTL],
            "modules": [row["name"] for row in modules],
            "platform": platform,
        },
        "limit": {
            "limits": [{"item": m.key, "value": m.value, **_why(m)} for m in rows if m.kind == LIMIT],
            "platform": platform,
        },
        "qdisc": {
            "kind": values["kernel_default_qdisc"] if present else "",
            "default_route": present and values["kernel_qdisc_default_route"],
            "interfaces": values["kernel_qdisc_interfaces"] if present else [],
            "platform": platform,
        },
        "thp": {
            "enabled": values["kernel_transparent_hugepages"] if present else "",
            "defrag": values["kernel_transparent_hugepages_defrag"] if present else "",
            "platform": platform,
        },
        "governor": {"governor": values["kernel_cpu_governor"] if present else "", "platform": platform},
        "cmdline": {
            "arguments": [{"argument": m.value, **_why(m)} for m in rows if m.kind == CMDLINE],
            "platform": platform,
        },
    }


def _transport_needs(values: dict[str, Any]) -> list[Need]:
    control, qdisc = values["kernel_tcp_congestion_control"], values["kernel_default_qdisc"]
    rows = []
    if control:
        why = "TCP only: NCCL bootstrap and sockets, storage, image pulls; RDMA never passes through it"
        asker = "kernel_tcp_congestion_control"
        rows.append(Need(SYSCTL, "net.ipv4.tcp_congestion_control", control, asker, why))
        if control not in BUILT_IN_CONTROLS:
            rows.append(Need(MODULE, f"tcp_{control}", "", asker, "the kernel offers it only once the module is there"))
    if qdisc:
        rows.append(
            Need(SYSCTL, "net.core.default_qdisc", qdisc, "kernel_default_qdisc", "new interfaces start with it")
        )
        if qdisc != "pfifo_fast":
            rows.append(Need(MODULE, f"sch_{qdisc}", "", "kernel_default_qdisc", "the qdisc itself"))
    return rows


def _buffer_needs(values: dict[str, Any]) -> list[Need]:
    rows = []
    most = values["kernel_socket_buffer_max_bytes"]
    if most:
        asker = "kernel_socket_buffer_max_bytes"
        rows += [Need(SYSCTL, f"net.core.{way}mem_max", str(most), asker) for way in "rw"]
        # Minimum and default stay the kernel's own: only the maximum is raised, so that idle sockets cost nothing.
        rows.append(Need(SYSCTL, "net.ipv4.tcp_rmem", f"4096 131072 {most}", asker))
        rows.append(Need(SYSCTL, "net.ipv4.tcp_wmem", f"4096 16384 {most}", asker))
    plain = {
        "kernel_listen_backlog": ("net.core.somaxconn", "net.ipv4.tcp_max_syn_backlog"),
        "kernel_netdev_backlog_packets": ("net.core.netdev_max_backlog",),
        "kernel_tcp_mtu_probing": ("net.ipv4.tcp_mtu_probing",),
    }
    for variable, keys in plain.items():
        if values[variable]:
            rows += [Need(SYSCTL, key, str(values[variable]), variable) for key in keys]
    thresholds = values["kernel_neighbour_thresholds"]
    rows += [
        Need(SYSCTL, f"net.ipv4.neigh.default.gc_thresh{number}", str(value), "kernel_neighbour_thresholds")
        for number, value in enumerate(thresholds, 1)
    ]
    return rows


def _sysctl_rules(settings: dict[str, Any]) -> list[Problem]:
    rows: list[Problem] = []
    seen: dict[str, str] = {}
    for key, value in settings.items():
        path = path_of(str(key))
        other = seen.setdefault(path, key)
        if other != key:
            rows.append(_sysctl_problem(f"{key!r} and {other!r} are the same key", "one of them", "keep one spelling"))
        if isinstance(value, bool):
            rows.append(_sysctl_problem(f"{key}: {value}", "a number or text such as 1", f"write {key}: {int(value)}"))
        elif bad_value(str(value)):
            rows.append(
                _sysctl_problem(f"{key}: {bad_value(str(value))}", "the plain value", "move the comment above the line")
            )
        if knob_for(path):
            rows.append(
                _sysctl_problem(f"{key} exists in no Linux kernel", "keys below /proc/sys", knob_for(path) or "")
            )
        elif not KEY.fullmatch(str(key)) or "*" in str(key):
            rows.append(
                _sysctl_problem(f"{key!r} is no kernel key", "a dotted name below /proc/sys", "correct the name")
            )
    return rows


def _sysctl_problem(found: str, allowed: str, act: str) -> Problem:
    return Problem("kernel_sysctl", found, allowed, act)


def _transport_rules(values: dict[str, Any]) -> list[Problem]:
    control, qdisc = values["kernel_tcp_congestion_control"], values["kernel_default_qdisc"]
    if control == "bbr" and qdisc not in ("fq", ""):
        found = f"bbr with {qdisc}"
        act = "set kernel_default_qdisc: fq, which paces each flow as BBR asks"
        return [Problem("kernel_default_qdisc", found, "fq", act, severity="warning")]
    if values["kernel_qdisc_interfaces"] and not qdisc:
        return [Problem("kernel_qdisc_interfaces", "interfaces without a qdisc", "a kernel_default_qdisc", "name one")]
    thresholds = values["kernel_neighbour_thresholds"]
    if thresholds and (len(thresholds) != 3 or sorted(thresholds) != list(thresholds)):
        found = ", ".join(map(str, thresholds))
        return [Problem("kernel_neighbour_thresholds", found, "three rising numbers", "for instance 4096, 8192, 16384")]
    return []


def _module_rules(modules: Iterable[dict[str, Any]]) -> list[Problem]:
    rows = []
    for module in modules:
        name = str(module.get("name", ""))
        if not MODULE_NAME.fullmatch(name):
            rows.append(Problem("kernel_modules", f"{name!r}", "a module name: letters, digits, _ and -", "correct it"))
        if "\n" in str(module.get("options") or ""):
            rows.append(
                Problem("kernel_modules", f"{name}: options over several lines", "one line", "join the options")
            )
    return rows


def _limit_rules(limits: dict[str, Any]) -> list[Problem]:
    rows = []
    for item, value in limits.items():
        if item not in ("memlock", "nofile", "nproc", "stack", "core"):
            rows.append(
                Problem("kernel_limits", f"{item!r}", "memlock, nofile, nproc, stack, core", "correct the item")
            )
        elif not LIMIT_VALUE.fullmatch(str(value)):
            rows.append(Problem("kernel_limits", f"{item}: {value!r}", "unlimited or a positive number", "correct it"))
        elif item == "nofile" and value == "unlimited":
            act = "give a number, for instance 1048576"
            rows.append(Problem("kernel_limits", "nofile: unlimited", "a number up to fs.nr_open", act))
    return rows


def _cmdline_rules(words: Iterable[str]) -> list[Problem]:
    rows: list[Problem] = []
    seen: dict[str, str] = {}
    for word in words:
        key = word.split("=", 1)[0]
        if not word or re.search(r"[\s\"'$`\\]", word):
            act = "one list entry an argument, without quotes"
            rows.append(Problem("kernel_cmdline", f"{word!r}", "an argument without blanks and quotes", act))
        elif seen.setdefault(key, word) != word:
            rows.append(Problem("kernel_cmdline", f"{seen[key]} and {word}", f"one value of {key}", "keep one of them"))
    return rows


def _why(merged: Merged) -> dict[str, Any]:
    return {"asked_by": list(merged.asked_by), "why": merged.why}

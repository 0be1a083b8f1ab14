"""The kubelet's fields that a node's variables make, and what a kubelet would refuse about them.

The rules are the kubelet's own (pkg/kubelet/apis/config/validation and its managers, 1.35), told with the variable that
is meant. It deliberately knows no node: CPUs and NUMA nodes that are not there are seen on the node.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..cluster.quantity import parse as quantity
from ..cluster.quantity import show
from ..model.containerd import SOCKET
from ..model.kube_host import cpu_list
from .kubernetes_fields import ALPHA_GATE, ALPHA_OPTIONS, CPU_OPTIONS, FIELDS, OWNED
from .problem import Problem

STATIC = "static"
RESERVABLE = ("cpu", "memory", "ephemeral-storage", "pid")
SIGNALS = (
    *("memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree"),
    *("containerfs.available", "containerfs.inodesFree", "pid.available", "allocatableMemory.available"),
)
PAGES = ("2Mi", "1Gi")


def config(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of KubeletConfiguration for a node."""
    static = values["kubernetes_cpu_manager_policy"] == STATIC
    options = dict.fromkeys(values["kubernetes_cpu_manager_options"], "true") if static else {}
    limited = values["kubernetes_swap"] == "limited"
    rows: dict[str, Any] = {
        "cgroupDriver": values["kubernetes_cgroup_driver"],
        "containerRuntimeEndpoint": SOCKET,
        "failCgroupV1": values["kubernetes_cgroup_v1"] == "refuse",
        "failSwapOn": not limited,
        "memorySwap": {"swapBehavior": "LimitedSwap" if limited else "NoSwap"},
        "cpuManagerPolicy": values["kubernetes_cpu_manager_policy"],
        "topologyManagerPolicy": values["kubernetes_topology_manager_policy"],
        "topologyManagerScope": values["kubernetes_topology_manager_scope"],
        "memoryManagerPolicy": values["kubernetes_memory_manager_policy"],
        "systemReserved": _texts(values["kubernetes_system_reserved"]),
        "kubeReserved": _texts(values["kubernetes_kube_reserved"]),
        "evictionHard": _texts(values["kubernetes_eviction_hard"]),
        "imageGCHighThresholdPercent": values["kubernetes_image_gc_high"],
        "imageGCLowThresholdPercent": values["kubernetes_image_gc_low"],
        "maxPods": values["kubernetes_max_pods"],
    }
    if options:
        rows["cpuManagerPolicyOptions"] = options
    if values["kubernetes_reserved_cpus"]:
        rows["reservedSystemCPUs"] = values["kubernetes_reserved_cpus"]
    if values["kubernetes_reserved_memory"]:
        rows["reservedMemory"] = [
            {"numaNode": row["numa"], "limits": _texts(row["limits"])} for row in values["kubernetes_reserved_memory"]
        ]
    return {**rows, **values["kubernetes_config_extra"]}


def rules(values: Mapping[str, Any]) -> list[Problem]:
    """Return what no kubelet starts with, and what would not do what it says."""
    return [
        *_amounts(values),
        *_eviction(values["kubernetes_eviction_hard"]),
        *_cpus(values),
        *_memory(values),
        *_numbers(values),
        *_hugepages(values["kubernetes_hugepages"]),
        *_extra(values["kubernetes_config_extra"]),
    ]


def _texts(amounts: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in amounts.items()}


def _amount(value: Any) -> Fraction | None:
    try:
        return quantity(value)
    except ValueError:
        return None


def _amounts(values: Mapping[str, Any]) -> list[Problem]:
    rows = []
    for variable in ("kubernetes_system_reserved", "kubernetes_kube_reserved"):
        for name, value in values[variable].items():
            if name not in RESERVABLE:
                rows.append(Problem(variable, f"{name!r}", ", ".join(RESERVABLE), "correct the resource"))
            elif (_amount(value) or Fraction(-1)) < 0:
                act = "write a quantity: processors as 500m, memory as 1Gi"
                rows.append(Problem(variable, f"{name}: {value!r}", "a quantity of 0 or more", act))
    return rows


def _eviction(signals: Mapping[str, Any]) -> list[Problem]:
    rows, variable = [], "kubernetes_eviction_hard"
    for name, value in signals.items():
        if name not in SIGNALS:
            rows.append(Problem(variable, f"{name!r}", ", ".join(SIGNALS), "correct the signal"))
            continue
        text = str(value)
        percent = _amount(text[:-1]) if text.endswith("%") else None
        fits = percent is not None and 0 <= percent < 100 if text.endswith("%") else _amount(value) is not None
        if not fits:
            rows.append(
                Problem(variable, f"{name}: {value!r}", "a quantity, or 0% to below 100%", "correct the threshold")
            )
    if "memory.available" not in signals:
        act = "declare one, for instance memory.available: 100Mi: without it the kernel kills instead"
        rows.append(Problem(variable, "no memory.available", "a threshold of memory", act))
    return rows


def _cpus(values: Mapping[str, Any]) -> list[Problem]:
    rows, text = [], values["kubernetes_reserved_cpus"]
    static = values["kubernetes_cpu_manager_policy"] == STATIC
    try:
        cpu_list(text)
    except ValueError as error:
        act = "write it as the kernel does, for instance 0-1,64-65"
        rows.append(Problem("kubernetes_reserved_cpus", f"{text!r}: {error}", "a list of CPUs", act))
    reserved = sum((_amount(values[f"kubernetes_{who}_reserved"].get("cpu", 0)) or 0) for who in ("system", "kube"))
    if static and not text and not reserved:
        act = "declare kubernetes_reserved_cpus, for instance 0-1: a kubelet with this policy does not start without"
        rows.append(Problem("kubernetes_cpu_manager_policy", "static with no CPU reserved", "at least one CPU", act))
    return [*rows, *_cpu_options(values, static), *_topology(values, static)]


def _cpu_options(values: Mapping[str, Any], static: bool) -> list[Problem]:
    rows, variable, options = [], "kubernetes_cpu_manager_options", values["kubernetes_cpu_manager_options"]
    unknown = [name for name in options if name not in CPU_OPTIONS]
    if unknown:
        rows.append(Problem(variable, ", ".join(unknown), ", ".join(CPU_OPTIONS), "correct the option"))
    if options and not static:
        act = "declare kubernetes_cpu_manager_policy: static, or take the options out"
        rows.append(Problem(variable, "options of the policy none", "none", act))
    gates = values["kubernetes_config_extra"].get("featureGates") or {}
    alpha = [name for name in options if name in ALPHA_OPTIONS]
    if alpha and not gates.get(ALPHA_GATE):
        act = f"set kubernetes_config_extra: {{featureGates: {{{ALPHA_GATE}: true}}}}, or take it out"
        rows.append(
            Problem(variable, f"{', '.join(alpha)} without its feature gate", "options that are switched on", act)
        )
    return rows


def _topology(values: Mapping[str, Any], static: bool) -> list[Problem]:
    rows = []
    if values["kubernetes_topology_manager_policy"] in ("restricted", "single-numa-node") and not static:
        act = "declare kubernetes_cpu_manager_policy: static: without it CPUs are of any NUMA node whatever is declared"
        found = f"{values['kubernetes_topology_manager_policy']} with the CPU manager off"
        rows.append(Problem("kubernetes_topology_manager_policy", found, "the CPU manager static", act))
    if values["kubernetes_topology_manager_scope"] == "pod" and values["kubernetes_topology_manager_policy"] == "none":
        act = "declare a policy, or leave the scope at container"
        rows.append(Problem("kubernetes_topology_manager_scope", "pod with the policy none", "container", act))
    return rows


def _memory(values: Mapping[str, Any]) -> list[Problem]:
    variable, reserved = "kubernetes_reserved_memory", values["kubernetes_reserved_memory"]
    if values["kubernetes_memory_manager_policy"] != "Static":
        act = "declare kubernetes_memory_manager_policy: Static, or take it out"
        return [Problem(variable, "reserved, with the policy None", "empty", act)] if reserved else []
    rows, seen, total = [], set(), Fraction(0)
    for row in reserved:
        if row["numa"] in seen or row["numa"] < 0:
            rows.append(
                Problem(variable, f"numa {row['numa']}", "each NUMA node once, from 0 on", "correct the number")
            )
        seen.add(row["numa"])
        for name, value in row["limits"].items():
            amount = _amount(value)
            if (name != "memory" and name.removeprefix("hugepages-") not in PAGES) or not amount or amount < 0:
                allowed = "memory, hugepages-2Mi or hugepages-1Gi, above 0"
                rows.append(Problem(variable, f"numa {row['numa']}: {name}: {value}", allowed, "correct it"))
            elif name == "memory":
                total += amount
    threshold = str(values["kubernetes_eviction_hard"].get("memory.available", "0"))
    if threshold.endswith("%"):
        act = "declare memory.available as a quantity: the manager compares sums"
        return [
            *rows,
            Problem("kubernetes_eviction_hard", f"memory.available: {threshold}", "a quantity, with Static", act),
        ]
    parts = [values[f"kubernetes_{who}_reserved"].get("memory", 0) for who in ("system", "kube")]
    wanted = sum(((_amount(part) or Fraction(0)) for part in [*parts, threshold]), Fraction(0))
    if total != wanted:
        found, allowed = (
            f"{show(total, 'memory')} in all",
            f"{show(wanted, 'memory')}: system + kube reserved + eviction",
        )
        rows.append(
            Problem(variable, found, allowed, "divide that sum among the NUMA nodes: no kubelet starts otherwise")
        )
    return rows


def _numbers(values: Mapping[str, Any]) -> list[Problem]:
    rows = []
    high, low, pods = (values[f"kubernetes_{name}"] for name in ("image_gc_high", "image_gc_low", "max_pods"))
    if not 0 <= high <= 100:
        rows.append(Problem("kubernetes_image_gc_high", str(high), "0 to 100 percent", "correct it"))
    if not 0 <= low < high:
        act = "images are removed from the upper one down to the lower one"
        rows.append(Problem("kubernetes_image_gc_low", str(low), f"0 to below kubernetes_image_gc_high ({high})", act))
    if not 1 <= pods <= 1000:
        act = "more than 250 need a larger pod subnet a node and have been tested by few"
        rows.append(Problem("kubernetes_max_pods", str(pods), "1 to 1000", act))
    if values["kubernetes_swap"] == "limited" and values["kubernetes_cgroup_v1"] == "accept":
        act = "declare kubernetes_cgroup_v1: refuse, or kubernetes_swap: refuse"
        rows.append(Problem("kubernetes_swap", "limited, with cgroup v1 accepted", "cgroup v2 for swap of pods", act))
    return rows


def _hugepages(pages: Mapping[str, Any]) -> list[Problem]:
    rows = []
    for size, count in pages.items():
        if size not in PAGES:
            rows.append(Problem("kubernetes_hugepages", f"{size!r}", " and ".join(PAGES), "correct the size"))
        elif isinstance(count, bool) or not isinstance(count, int) or count < 0:
            act = "count pages, not bytes: 512 pages of 2Mi are 1 GiB"
            rows.append(Problem("kubernetes_hugepages", f"{size}: {count!r}", "a count of pages", act))
    return rows


def _extra(extra: Mapping[str, Any]) -> list[Problem]:
    rows, variable = [], "kubernetes_config_extra"
    for name, value in extra.items():
        kind = FIELDS.get(name)
        if name in OWNED:
            rows.append(Problem(variable, name, "fields without a variable", f"declare {OWNED[name]} instead"))
        elif kind is None:
            near = next((field for field in FIELDS if field.lower() == str(name).lower()), "")
            owner = OWNED.get(near)
            act = f"write {near}" if near else "correct the name: a kubelet takes no notice of a field it does not know"
            act = f"declare {owner} instead" if owner else act
            rows.append(Problem(variable, f"{name!r}", "a field of KubeletConfiguration v1beta1", act))
        elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            act = "durations are texts such as 10s, numbers and true or false stand without quotes"
            rows.append(Problem(variable, f"{name}: {value!r}", f"a value of type {kind.__name__}", act))
    return rows

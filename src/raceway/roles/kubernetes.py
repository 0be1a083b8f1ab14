"""The kubernetes role's variables: what a node runs, how its kubelet divides it, and what that asks of the kernel.

The rules stand in ``kubernetes_rules``, the kubelet's fields in ``kubernetes_kubelet``, what makes a cluster of them in
``kubernetes_cluster``. It deliberately gives containerd and the kubelet one cgroup driver from one variable: two that
differ are the commonest way to a node whose pods vanish.
"""

from __future__ import annotations

from typing import Any

from ..model.kube_binaries import CONTAINERD_NAMES, KUBE_NAMES
from ..model.kubelet import DATA
from ..model.needs import CMDLINE, MODULE, SYSCTL, Merged, Need
from . import kubernetes_cluster, kubernetes_rules
from .kubernetes_kubelet import config
from .kubernetes_units import CONTAINERD_UNIT, KUBELET_UNIT
from .problem import Problem

READS = ("node", "kernel")  # whether the role kernel carries out what is asked of the kernel
PACKAGES, BINARIES, ARCHIVES = "packages", "binaries", "archives"
# What the kubelet and kube-proxy call, and the package of each in Debian, Ubuntu and RHEL; util-linux is always there.
PROGRAMS = {"conntrack": "conntrack", "ip": "iproute2", "iptables": "iptables", "losetup": "", "mount": ""}
# Settings the kubelet writes itself at each start (pkg/kubelet/cm/container_manager_linux.go): asked for, so that the
# role kernel and it do not take turns.
KUBELET_SYSCTLS = {"vm.overcommit_memory": "1", "kernel.panic": "10", "kernel.panic_on_oops": "1"}
# Version of etcd, CoreDNS and pause that kubeadm of a minor version asks for (cmd/kubeadm/app/constants).
COMPANIONS = {
    "1.34": ("3.6.5-0", "v1.12.1", "3.10.1"),
    "1.35": ("3.6.6-0", "v1.13.1", "3.10.1"),
}
CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the variables taken together."""
    if values["kubernetes_state"] != "present":
        return []
    return [*kubernetes_rules.rules(values), *(kubernetes_cluster.rules(values) if member(values) else [])]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return the modules and settings pods depend on, and huge pages."""
    rows = [Need(MODULE, name, "", "kubernetes", why) for name, why in _modules().items()]
    bridge = "packets between pods of one node pass the rules of Services too"
    for key in ("net.bridge.bridge-nf-call-iptables", "net.bridge.bridge-nf-call-ip6tables"):
        rows.append(Need(SYSCTL, key, "1", "kubernetes", bridge))
    rows.append(Need(SYSCTL, "net.ipv4.ip_forward", "1", "kubernetes", "pods reach other nodes through this one"))
    rows += [
        Need(SYSCTL, key, value, "kubernetes", "the kubelet sets it at each start")
        for key, value in KUBELET_SYSCTLS.items()
    ]
    watched = "every container's log and configuration is watched"
    rows.append(Need(SYSCTL, "fs.inotify.max_user_instances", "8192", "kubernetes", watched))
    rows.append(Need(SYSCTL, "fs.inotify.max_user_watches", "524288", "kubernetes", watched))
    return [*rows, *_hugepages(values["kubernetes_hugepages"])]


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of programs, runtime, images, kubelet and machine; an absent role declares none."""
    del merged  # kernel needs are the kernel role's to carry out
    present = values["kubernetes_state"] == "present"
    base = {"platform": platform}
    cluster = {"kube_cluster": kubernetes_cluster.desired(values, platform)} if member(values) else {}
    if not present:
        nouns = ("kube_binaries", "containerd", "kube_images", "kubelet", "kube_host")
        return {"package": {"packages": [], **base}, **{name: dict(base) for name in nouns}, **cluster}
    return {
        "package": {"packages": _packages(values), **base},
        "kube_binaries": {**_binaries(values), **base},
        "containerd": {**_containerd(values), **base},
        "kube_images": {**_images(values), **base},
        "kubelet": {
            "present": True,
            "config": config(values),
            "folders": [DATA, values["kubernetes_containerd_root"]],
            "mounts": values["kubernetes_required_mounts"],
            "memlock": values["kubernetes_containerd_memlock"],
            "unit": KUBELET_UNIT.format(folder=folder(values)) if values["kubernetes_source"] == BINARIES else "",
            **base,
        },
        "kube_host": {**_host(values), **base},
        **cluster,
    }


def member(values: dict[str, Any]) -> bool:
    """Tell whether the node has a part in a cluster; without one it is made ready and left alone (an image, say)."""
    return bool(values["kubernetes_node_role"] != "none")


def folder(values: dict[str, Any]) -> str:
    """Return where programs given by checksum are put."""
    return str(values["kubernetes_binaries_folder"]).rstrip("/")


def cluster_images(values: dict[str, Any]) -> list[str]:
    """Return the images no pod of this node starts without; of unknown minor versions, kubeadm's are left out."""
    version, home = values["kubernetes_version"], values["kubernetes_image_repository"]
    rows = [f"{home}/kube-proxy:v{version}"] if values["kubernetes_proxy_mode"] != "none" else []
    rows.append(values["kubernetes_containerd_sandbox_image"])
    known = COMPANIONS.get(version.rpartition(".")[0])
    if known and values["kubernetes_node_role"] == "control_plane":
        rows += [f"{home}/{name}:v{version}" for name in CONTROL_PLANE]
        rows += [f"{home}/etcd:{known[0]}", f"{home}/coredns/coredns:{known[1]}"]
    return rows


def _modules() -> dict[str, str]:
    return {
        "overlay": "layers of images are stacked with it",
        "br_netfilter": "packets between pods of one node pass the rules of Services",
        "nf_conntrack": "kube-proxy keeps connections to a Service together",
    }


def _hugepages(pages: dict[str, Any]) -> list[Need]:
    rows, why = [], "pods ask for them as hugepages-{}"
    for size, count in pages.items():
        if size == "2Mi":
            rows.append(Need(SYSCTL, "vm.nr_hugepages", str(count), "kubernetes_hugepages", why.format(size)))
        else:
            # The count belongs to the size before it, and merged needs stand in the order of their keys.
            words = (f"hugepagesz={size.rstrip('i')}", f"hugepages={count}")
            rows += [
                Need(CMDLINE, f"hugepages-{size}-{number}", word, "kubernetes_hugepages", why.format(size))
                for number, word in enumerate(words)
            ]
    return rows


def _packages(values: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [{"name": name, "asked_by": ["kubernetes_tools"]} for name in values["kubernetes_tools"]]
    if values["kubernetes_containerd_source"] == PACKAGES:
        asked = values["kubernetes_containerd_packages"]
        rows += [
            {"name": name, "asked_by": ["kubernetes_containerd_packages"]}
            for name, version in asked.items()
            if not version
        ]
    return [*rows, *(kubernetes_cluster.packages(values) if member(values) else [])]


def _binaries(values: dict[str, Any]) -> dict[str, Any]:
    """Return pinned packages and programs by their sum; packages of any version are the package noun's."""
    version = values["kubernetes_version"]
    packages: list[dict[str, str]] = []
    programs: list[dict[str, str]] = []
    if values["kubernetes_source"] == PACKAGES:
        packages += [{"name": n, "version": v or version} for n, v in values["kubernetes_packages"].items()]
    else:
        programs += _programs(values, "kubernetes_binaries", KUBE_NAMES)
    if values["kubernetes_containerd_source"] == PACKAGES:
        packages += [{"name": n, "version": v} for n, v in values["kubernetes_containerd_packages"].items() if v]
    elif values["kubernetes_containerd_source"] == BINARIES:
        programs += _programs(values, "kubernetes_containerd_binaries", CONTAINERD_NAMES)
    return {
        "version": version,
        "packages": packages,
        "programs": programs,
        "repository": values["kubernetes_repository"],
        "key": values["kubernetes_repository_key"],
    }


def _programs(values: dict[str, Any], variable: str, order: tuple[str, ...]) -> list[dict[str, str]]:
    sums, origin = values[variable], values[f"{variable}_from"]
    rows = [name for name in order if name in sums]
    return [{"name": name, "sha256": sums[name], "from": origin, "folder": folder(values)} for name in rows]


def _containerd(values: dict[str, Any]) -> dict[str, Any]:
    copied = (
        "root",
        "snapshotter",
        "sandbox_image",
        "cdi",
        "restrict_oom_score_adj",
        "memlock",
        "cni_folder",
        "runtimes",
    )
    own = values["kubernetes_containerd_source"] == BINARIES
    return {
        "present": True,
        **{name: values[f"kubernetes_containerd_{name}"] for name in copied},
        "cgroup_driver": values["kubernetes_cgroup_driver"],
        "mirrors": values["kubernetes_containerd_registry_mirrors"],
        "mounts": values["kubernetes_required_mounts"],
        "unit": CONTAINERD_UNIT.format(folder=folder(values)) if own else "",
        "kubernetes": values["kubernetes_version"],
    }


def _images(values: dict[str, Any]) -> dict[str, Any]:
    archives = values["kubernetes_images_source"] == ARCHIVES
    needed, more = cluster_images(values), values["kubernetes_images"]
    return {
        "present": True,
        "archives": values["kubernetes_image_archives"],
        "pulls": [] if archives else [*needed, *more],
        "needed": [*needed, *more] if archives else [],
        "root": values["kubernetes_containerd_root"],
        "snapshotter": values["kubernetes_containerd_snapshotter"],
    }


def _host(values: dict[str, Any]) -> dict[str, Any]:
    declared = [*values["kubernetes_tools"]]
    return {
        "present": True,
        "version": values["kubernetes_version"],
        "swap": values["kubernetes_swap"],
        "cgroup_v1": values["kubernetes_cgroup_v1"],
        "cgroup_driver": values["kubernetes_cgroup_driver"],
        "programs": {name: package if package in declared else "" for name, package in PROGRAMS.items()},
        "kernel": values.get("kernel_state") == "present",
        "folders": [values["kubernetes_containerd_root"], DATA],
        "full": values["kubernetes_image_gc_high"],
        "endpoint": str(values["kubernetes_endpoint"]),
        "cpus": values["kubernetes_reserved_cpus"],
        "numa": [row["numa"] for row in values["kubernetes_reserved_memory"]],
    }

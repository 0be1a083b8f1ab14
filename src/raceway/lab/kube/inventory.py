"""The inventory of a lab's Kubernetes nodes: what the role ``kubernetes`` is told there is to make a cluster from.

Processors and memory are the host's, which all nodes share; the accelerators are declared, and made allocatable by the
tests' device plugin. It deliberately says only what this kind of node needs said; what a cluster should be like beyond
that stands in inventories/lab/group_vars and in the role's defaults.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

from .. import inventory
from ..record import Record
from .container import GIVEN
from .given import Given
from .images import ARCHIVES
from .needs import Host

API_PORT = 6443
INTERFACE = "eth0"
ROLES = ("node", "kernel", "kubernetes")


def generated(known: Record, folder: Path, given: Given, host: Host) -> dict[str, Any]:
    """The whole inventory, as ``--list`` prints it."""
    made = inventory.generated(known.nodes, folder)
    control, workers = known.nodes[: known.control_planes], known.nodes[known.control_planes :]
    for index, node in enumerate(known.nodes):
        place = "control_plane" if index < known.control_planes else "worker"
        made["_meta"]["hostvars"][node.name] |= {
            "node_cpus": host.cpus,
            "node_memory_gib": host.memory_gib,
            "raceway_roles": list(ROLES),
            "kubernetes_node_role": place,
            **cluster(known),
            **runtime(given, host, {place} if workers else {"control_plane", "worker"}),
        }
    made["kubernetes_control_planes"] = {"hosts": [node.name for node in control]}
    made["kubernetes_workers"] = {"hosts": [node.name for node in workers]}
    made["lab_nodes"]["children"] = ["kubernetes_control_planes", "kubernetes_workers"]
    return made


def cluster(known: Record) -> dict[str, Any]:
    """Who forms a cluster and where its API answers: several control-plane nodes share a virtual address."""
    address, virtual = known.nodes[0].address, {}
    if known.control_planes > 1:
        network = ipaddress.IPv4Network(known.subnet)
        # Nodes begin at .11 (``allocate.addresses``).
        address = str(network.network_address + 10)
        virtual = {"address": address, "interface": INTERFACE, "prefix": network.prefixlen}
    return {
        "kubernetes_cluster_name": known.name,
        "kubernetes_endpoint": f"{address}:{API_PORT}",
        "kubernetes_virtual_ip": virtual,
        "kubernetes_cni": "bridge",
    }


def runtime(given: Given, host: Host, places: set[str]) -> dict[str, Any]:
    """Where programs and images come from, and what a node inside a container cannot have."""
    archives = [
        f"{GIVEN}/images/{given.archives[one.name]}" for one in ARCHIVES if one.where == "every" or one.where in places
    ]
    return {
        "kubernetes_source": "binaries",
        "kubernetes_binaries_from": f"{GIVEN}/bin",
        "kubernetes_binaries": given.programs,
        "kubernetes_images_source": "archives",
        "kubernetes_image_archives": archives,
        "kubernetes_containerd_source": "packages",
        "kubernetes_containerd_cni_folder": "/usr/lib/cni",
        "kubernetes_containerd_restrict_oom_score_adj": not host.may_raise_limits,
        "kubernetes_cgroup_driver": "systemd" if host.cgroup == 2 else "cgroupfs",
        "kubernetes_cgroup_v1": "accept" if host.cgroup == 1 else "refuse",
        # kubeadm looks for the kernel's configuration, which a container does not show.
        "kubernetes_ignore_preflight": ["SystemVerification"],
        # The disk is the host's: how full it is, is not the cluster's to judge.
        "kubernetes_eviction_hard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "kubernetes_image_gc_high": 99,
        "kubernetes_image_gc_low": 98,
        # All nodes share the host: what each keeps back is kept back once for each.
        "kubernetes_system_reserved": {"cpu": "50m", "memory": "100Mi"},
        "kubernetes_kube_reserved": {"cpu": "50m", "memory": "100Mi"},
        "kubernetes_allow_disruptive": True,
    }

"""Rules between the nodes of one Kubernetes cluster: one beginning, one set of addresses, a majority for etcd.

Nodes form a cluster by ``kubernetes_cluster_name``. It deliberately looks at hosts that enable the role alone: what
others inherit from a group is no part of a cluster.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from raceway.inventory.evaluate import HostValues
from raceway.inventory.findings import ERROR, WARNING, Finding
from raceway.inventory.origin import Origin, natural
from raceway.model.kube_cluster import CONTROL_PLANE, WORKER, minor

ROLE = "kubernetes"
# What every node of a cluster has to say alike: each ends up in certificates, routes or Services of all.
ALIKE = (
    *("endpoint", "first_control_plane", "pod_subnet", "service_subnet", "dns_domain", "cni", "proxy_mode"),
    *("node_pod_prefix", "image_repository"),
)
# Of control-plane nodes.
PLANES_ALIKE = ("virtual_ip",)
SKEW = 3  # minor versions that a kubelet may be older than its API server


class Clusters:
    """Gathers nodes by cluster while the hosts go by. ``place``: host and variable → where it is written."""

    def __init__(self, place: Callable[[str, str], Origin]) -> None:
        self._place = place
        self._nodes: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)

    def see(self, state: HostValues) -> None:
        """Note one host where it is to be part of a cluster."""
        values = state.roles.get(ROLE, {})
        if ROLE not in state.enabled or not state.sound(ROLE) or values.get("kubernetes_state") != "present":
            return
        if values["kubernetes_node_role"] in (CONTROL_PLANE, WORKER):
            self._nodes[str(values["kubernetes_cluster_name"])][state.host] = values

    def report(self) -> Iterable[Finding]:
        """Yield every broken rule."""
        for cluster, nodes in sorted(self._nodes.items()):
            yield from self._alike(cluster, nodes, ALIKE)
            planes = {host: row for host, row in nodes.items() if row["kubernetes_node_role"] == CONTROL_PLANE}
            yield from self._alike(cluster, planes, PLANES_ALIKE)
            yield from self._first(cluster, nodes, planes)
            yield from self._versions(cluster, nodes, planes)

    def _alike(self, cluster: str, nodes: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> Iterable[Finding]:
        for name in (f"kubernetes_{one}" for one in names):
            users: dict[str, list[str]] = defaultdict(list)
            for host, row in nodes.items():
                users[repr(row[name])].append(host)
            if len(users) < 2:
                continue
            told = ", ".join(f"{value} ({_some(hosts)})" for value, hosts in sorted(users.items()))
            fewest = min(users.values(), key=lambda hosts: (len(hosts), hosts))
            act = "write it once, in the variables of the cluster's group"
            found = f"nodes of the cluster {cluster} differ: {told}"
            hosts = tuple(sorted(nodes, key=natural))
            yield Finding(name, found, "one value for the whole cluster", act, hosts, self._place(fewest[0], name))

    def _first(
        self, cluster: str, nodes: Mapping[str, Mapping[str, Any]], planes: Mapping[str, Mapping[str, Any]]
    ) -> Iterable[Finding]:
        variable, hosts = "kubernetes_first_control_plane", tuple(sorted(nodes, key=natural))
        named = Counter(str(row[variable]) for row in nodes.values())
        for first in sorted(name for name in named if name):
            if first in planes:
                continue
            place = self._place(hosts[0], variable)
            if first in nodes:
                found = f"{first}, which is a worker of the cluster {cluster}"
            else:
                found = f"{first}, which is no node of the cluster {cluster}"
            allowed = ", ".join(sorted(planes, key=natural)) or "a host with kubernetes_node_role: control_plane"
            yield Finding(variable, found, allowed, "name one of its control-plane nodes", hosts, place)
        if len(planes) and len(planes) % 2 == 0:
            found = f"{len(planes)} control-plane nodes in the cluster {cluster}: as many may be lost as with one less"
            act = "declare an odd number: etcd goes on while more than half of its members do"
            place = self._place(min(planes, key=natural), "kubernetes_node_role")
            told = tuple(sorted(planes, key=natural))
            yield Finding("kubernetes_node_role", found, "an odd number", act, told, place, WARNING)

    def _versions(
        self, cluster: str, nodes: Mapping[str, Mapping[str, Any]], planes: Mapping[str, Mapping[str, Any]]
    ) -> Iterable[Finding]:
        versions = {host: minor(str(row["kubernetes_version"])) for host, row in nodes.items()}
        known = [versions[host] for host in planes if versions[host]]
        if not known:
            return
        oldest = min(one for one in known if one)
        for host, version in sorted(versions.items(), key=lambda row: natural(row[0])):
            if version is None or (oldest[0], oldest[1] - SKEW) <= version <= oldest:
                continue
            found = f"{host} {version[0]}.{version[1]}, a control-plane node of {cluster} {oldest[0]}.{oldest[1]}"
            allowed = f"{oldest[0]}.{oldest[1] - SKEW} to {oldest[0]}.{oldest[1]}"
            act = "no kubelet is newer than an API server, or more than three minor versions older"
            place = self._place(host, "kubernetes_version")
            yield Finding("kubernetes_version", found, allowed, act, (host,), place, ERROR)


def _some(hosts: list[str]) -> str:
    return hosts[0] if len(hosts) == 1 else f"{hosts[0]} and {len(hosts) - 1} more"

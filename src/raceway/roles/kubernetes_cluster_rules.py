"""What is wrong with the declaration of a node's part in a cluster, before a node is touched.

It deliberately looks at one host: that the first control-plane node is a host of the inventory is seen by the tasks
that ask it, which have the whole inventory.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from ..cluster.names import check_labels, is_label, is_name
from ..cluster.nodes import parse_taint
from ..model.kube_cluster import ETCD_DATA, IGNORABLE, WORKER
from .kubernetes_cluster_nets import address_of, net_rules
from .problem import Problem

Values = Mapping[str, Any]
LONGEST_CERTIFICATE_DAYS = 365  # kubeadm's certificates live for a year
SHORTEST_TTL_MIN, LONGEST_TTL_MIN = 2, 120
# Fields of ClusterConfiguration (v1beta4) that may be added, and those that variables own.
INIT_FIELDS = frozenset(
    {
        *("apiServer", "controllerManager", "scheduler", "etcd", "dns", "proxy", "featureGates", "networking"),
        *("encryptionAlgorithm", "certificateValidityPeriod", "caCertificateValidityPeriod"),
    }
)
OWNED_FIELDS = {
    "kubernetesVersion": "kubernetes_version",
    "controlPlaneEndpoint": "kubernetes_endpoint",
    "clusterName": "kubernetes_cluster_name",
    "imageRepository": "kubernetes_image_repository",
    "networking.podSubnet": "kubernetes_pod_subnet",
    "networking.serviceSubnet": "kubernetes_service_subnet",
    "networking.dnsDomain": "kubernetes_dns_domain",
    "apiServer.certSANs": "kubernetes_cert_sans",
}
_HOST = re.compile(r"(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def rules(values: Values) -> list[Problem]:
    """Return everything that is wrong."""
    return [
        *_names(values),
        *_place(values),
        *net_rules(values),
        *_network(values),
        *_labels(values),
        *_certificates(values),
        *_snapshot(values["kubernetes_etcd_snapshot"]),
        *_numbers(values),
        *_extra(values["kubernetes_init_extra"]),
        *_ignored(values["kubernetes_ignore_preflight"]),
    ]


def _names(values: Values) -> list[Problem]:
    rows = []
    for variable in ("node_name", "cluster_name"):
        text = str(values[f"kubernetes_{variable}"])
        if not is_name(text):
            act = "use small letters, digits, dashes and dots"
            rows.append(Problem(f"kubernetes_{variable}", f"{text!r}", "a name as DNS has it", act))
    domain = str(values["kubernetes_dns_domain"])
    if not all(is_label(part) for part in domain.split(".")):
        act = "write it without a dot at its ends, as in cluster.local"
        rows.append(Problem("kubernetes_dns_domain", f"{domain!r}", "a domain name", act))
    return rows


def _place(values: Values) -> list[Problem]:
    """A cluster has one beginning, and that is a control-plane node."""
    first, name, role = (values[f"kubernetes_{key}"] for key in ("first_control_plane", "node_name", "node_role"))
    variable = "kubernetes_first_control_plane"
    if not first:
        act = "put the control-plane nodes into the group kubernetes_control_planes, or name the first one"
        return [Problem(variable, "empty", "the name of a control-plane node", act)]
    if first == name and role == WORKER:
        act = "set kubernetes_node_role: control_plane for this host, or name another first node"
        return [Problem(variable, f"{first}, which is declared a worker", "a control-plane node", act)]
    return []


def _network(values: Values) -> list[Problem]:
    cni, manifests, variable = values["kubernetes_cni"], values["kubernetes_cni_manifests"], "kubernetes_cni_manifests"
    rows = []
    if cni == "manifests" and not manifests:
        act = "name the network's manifest, or declare kubernetes_cni: bridge or none"
        rows.append(Problem(variable, "empty", "at least one, for kubernetes_cni: manifests", act))
    if cni != "manifests" and manifests:
        act = "set kubernetes_cni: manifests, or take them out"
        rows.append(Problem(variable, f"given, with kubernetes_cni: {cni}", "none", act))
    for path in manifests:
        if not (str(path).startswith("/") or re.match(r"https?://\S+$", str(path))):
            act = "write the path on the first control-plane node from / on"
            rows.append(Problem(variable, str(path), "an absolute path or an http(s) address", act))
    if values["kubernetes_proxy_mode"] == "ipvs":
        act = "nftables takes its place; IPVS is deprecated since Kubernetes 1.35"
        rows.append(Problem("kubernetes_proxy_mode", "ipvs", "iptables, nftables or none", act, "warning"))
    return rows


def _labels(values: Values) -> list[Problem]:
    labels = {str(key): str(value) for key, value in values["kubernetes_labels"].items()}
    rows = [
        Problem(
            "kubernetes_labels",
            f"{one.place.partition('.')[2]!r}: {one.found}",
            one.allowed,
            one.act or "respell the label's key",
        )
        for one in check_labels("kubernetes_labels", labels)
    ]
    seen: set[tuple[str, str]] = set()
    for text in values["kubernetes_taints"]:
        taint, problems = parse_taint("kubernetes_taints", str(text))
        rows += [Problem("kubernetes_taints", one.found, one.allowed, one.act) for one in problems]
        if taint and (taint.key, taint.effect) in seen:
            found = f"{taint.key}:{taint.effect} twice"
            rows.append(Problem("kubernetes_taints", found, "each key and effect once", "remove one of the two"))
        seen.update({(taint.key, taint.effect)} if taint else ())
    return rows


def _certificates(values: Values) -> list[Problem]:
    rows = []
    for name in values["kubernetes_cert_sans"]:
        if address_of(name) is None and not _HOST.fullmatch(str(name)):
            act = "give the name or address alone: no scheme, no port"
            rows.append(Problem("kubernetes_cert_sans", f"{name!r}", "a host name or an address", act))
    days = values["kubernetes_certificates_warn_days"]
    if not 1 <= days < LONGEST_CERTIFICATE_DAYS:
        act = "30 days leave time to renew; kubeadm's certificates live for a year"
        allowed = f"1 to {LONGEST_CERTIFICATE_DAYS - 1} days"
        rows.append(Problem("kubernetes_certificates_warn_days", str(days), allowed, act))
    return rows


def _snapshot(given: Mapping[str, Any]) -> list[Problem]:
    if not given:
        return []
    variable, rows = "kubernetes_etcd_snapshot", []
    folder = str(given.get("folder") or "")
    if not folder.startswith("/") or posixpath.normpath(folder) != folder or " " in folder:
        rows.append(Problem(variable, f"folder {folder!r}", "an absolute path", "write it from / on, without spaces"))
    elif folder == ETCD_DATA or folder.startswith(f"{ETCD_DATA}/"):
        act = "keep copies on another disk: they are for the day this folder is lost"
        rows.append(Problem(variable, f"folder {folder}", f"a folder outside {ETCD_DATA}", act))
    if given.get("keep", 1) < 1:
        rows.append(Problem(variable, f"keep {given['keep']}", "at least 1", "take the variable out to keep none"))
    if not str(given.get("on_calendar", "daily")).strip() or "\n" in str(given.get("on_calendar", "")):
        act = "write a time of systemd.time(7), as in hourly or *-*-* 03:00"
        rows.append(Problem(variable, f"on_calendar {given['on_calendar']!r}", "a calendar time", act))
    return rows


def _numbers(values: Values) -> list[Problem]:
    rows = []
    ttl, drain = values["kubernetes_join_ttl_min"], values["kubernetes_drain_timeout_s"]
    if not SHORTEST_TTL_MIN <= ttl <= LONGEST_TTL_MIN:
        act = "long enough for the slowest join, short enough that a token that leaked is of no use"
        allowed = f"{SHORTEST_TTL_MIN} to {LONGEST_TTL_MIN} minutes"
        rows.append(Problem("kubernetes_join_ttl_min", str(ttl), allowed, act))
    if drain < 1:
        act = "give pods the time their grace period takes"
        rows.append(Problem("kubernetes_drain_timeout_s", str(drain), "at least 1 second", act))
    mtu = values["kubernetes_cni_mtu"]
    if mtu and not 576 <= mtu <= 65535:
        rows.append(Problem("kubernetes_cni_mtu", str(mtu), "0 (the kernel's), or 576 to 65535 bytes", "correct it"))
    return rows


def _extra(extra: Mapping[str, Any]) -> list[Problem]:
    rows = []
    inner = {f"{key}.{name}" for key, row in extra.items() if isinstance(row, Mapping) for name in row}
    for field in sorted({*map(str, extra), *inner}):
        if field in OWNED_FIELDS:
            act = f"set {OWNED_FIELDS[field]} and take the field out"
            rows.append(Problem("kubernetes_init_extra", f"{field} is given", "fields no variable owns", act))
        elif "." not in field and field not in INIT_FIELDS:
            act = "see ClusterConfiguration of kubeadm.k8s.io/v1beta4"
            rows.append(Problem("kubernetes_init_extra", f"{field} is no field", ", ".join(sorted(INIT_FIELDS)), act))
    return rows


def _ignored(names: list[str]) -> list[Problem]:
    rows = []
    for name in names:
        if name not in IGNORABLE:
            act = "name each check, and see that it may be left out: one that is left out hides a fault for good"
            rows.append(Problem("kubernetes_ignore_preflight", name, ", ".join(sorted(IGNORABLE)), act))
    return rows

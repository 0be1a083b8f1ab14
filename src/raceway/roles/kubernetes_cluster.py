"""The cluster half of the kubernetes role's variables: what is wrong with them, and the spec of the node's part.

Labels and taints of the Node are the inventory's (``node_*``) and this role's together, the same as the cluster layout
derives. It deliberately takes no token and no key: what lets a node in is asked for when it is needed.
"""

from __future__ import annotations

from typing import Any

from ..cluster.nodes import node_labels
from ..model.kube_cluster import CONTROL_PLANE, CONTROL_PLANE_TAINT
from ..model.machine import Machine
from . import kubernetes_cluster_rules
from .problem import Problem

_COPIED = {
    "cluster_name": "cluster",
    "endpoint": "endpoint",
    "advertise_address": "advertise",
    "pod_subnet": "pod_subnet",
    "node_pod_prefix": "node_prefix",
    "service_subnet": "service_subnet",
    "dns_domain": "dns_domain",
    "cni": "cni",
    "cni_manifests": "cni_manifests",
    "cni_mtu": "mtu",
    "proxy_mode": "proxy_mode",
    "cert_sans": "cert_sans",
    "certificates_warn_days": "warn_days",
    "image_repository": "image_repository",
    "init_extra": "init_extra",
    "ignore_preflight": "ignore",
    "upgrading": "upgrading",
    "version": "version",
}
# What derived labels are made of; a host without the role node has none.
_MACHINE = ("platform", "rack", "leaf", "spine", "accelerator_kind", "accelerator_model")


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the variables of a node's part in the cluster."""
    return kubernetes_cluster_rules.rules(values)


def packages(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the packages that carry the virtual address: keepalived, and curl for its check."""
    if not (values["kubernetes_virtual_ip"] and values["kubernetes_node_role"] == CONTROL_PLANE):
        return []
    return [{"name": name, "asked_by": ["kubernetes_virtual_ip"]} for name in ("curl", "keepalived")]


def desired(values: dict[str, Any], platform: str) -> dict[str, Any]:
    """Return the spec of the noun ``kube_cluster``; an absent role declares none."""
    if values["kubernetes_state"] != "present":
        return {"platform": platform}
    name = str(values["kubernetes_node_name"])
    return {
        "present": True,
        "platform": platform,
        "role": values["kubernetes_node_role"],
        "name": name,
        "first": values["kubernetes_first_control_plane"] == name,
        **{key: values[f"kubernetes_{variable}"] for variable, key in _COPIED.items()},
        "virtual": _virtual(values["kubernetes_virtual_ip"]),
        "snapshot": _snapshot(values["kubernetes_etcd_snapshot"]),
        "labels": labels(values),
        "taints": taints(values),
        "never_pull": values["kubernetes_images_source"] == "archives",
    }


def labels(values: dict[str, Any]) -> dict[str, str]:
    """Return the Node's labels: what the machine's declaration comes to, then this role's own."""
    fields = {name: values[f"node_{name}"] for name in _MACHINE if f"node_{name}" in values}
    own = {str(key): str(value) for key, value in values.get("node_labels", {}).items()}
    machine = Machine(name=str(values["kubernetes_node_name"]), labels=own, **fields)
    return {**node_labels(machine), **{str(k): str(v) for k, v in values["kubernetes_labels"].items()}}


def taints(values: dict[str, Any]) -> list[str]:
    """Return the Node's taints, each once; a control-plane node keeps other pods away unless it is declared not to."""
    plane = values["kubernetes_node_role"] == CONTROL_PLANE and values["kubernetes_control_plane_taint"]
    rows = [CONTROL_PLANE_TAINT] if plane else []
    return list(dict.fromkeys([*rows, *values.get("node_taints", []), *values["kubernetes_taints"]]))


def _virtual(given: dict[str, Any]) -> dict[str, Any]:
    if not given:
        return {}
    default = {"prefix": 32, "router_id": 51}
    row = {**default, **given}
    return {
        "address": row["address"],
        "interface": row["interface"],
        "prefix": row["prefix"],
        "router": row["router_id"],
    }


def _snapshot(given: dict[str, Any]) -> dict[str, Any]:
    if not given:
        return {}
    row = {"keep": 7, "on_calendar": "daily", **given}
    return {"folder": row["folder"], "keep": row["keep"], "calendar": row["on_calendar"]}

"""The documents kubeadm is given: v1beta4 Init-, Cluster-, Join-, Upgrade- and ResetConfiguration, and kube-proxy's.

Pure: the same declaration gives the same text. A text with a secret in it (join, the key of the certificates) is made
where it is used and goes through a file on tmpfs. It deliberately gives kube-proxy no conntrack sizes of its own: they
are the host's, and in a container they cannot be written.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from ..model.kube_cluster import API_PORT, BRIDGE, KubeClusterDesired, Means, taint_rows
from .kube_cluster_yaml import documents

KUBEADM = "kubeadm.k8s.io/v1beta4"
SOCKET = "unix:///run/containerd/containerd.sock"


def init_documents(desired: KubeClusterDesired) -> str:
    """Return what ``kubeadm init`` is given: InitConfiguration, ClusterConfiguration, KubeProxyConfiguration.

    The token kubeadm makes here lives for a day: it is not printed, and the handler takes it away afterwards.
    """
    rows: List[Dict[str, Any]] = [
        {
            "apiVersion": KUBEADM,
            "kind": "InitConfiguration",
            "nodeRegistration": _registration(desired),
            "localAPIEndpoint": _local(desired),
            "skipPhases": _skipped(desired),
        },
        cluster_configuration(desired),
    ]
    if desired.proxy_mode != "none":
        rows.append(proxy_configuration(desired))
    return documents([_without_empty(row) for row in rows])


def cluster_configuration(desired: KubeClusterDesired) -> Dict[str, Any]:
    """Return ClusterConfiguration; ``init_extra`` is merged in, field by field."""
    controller: Dict[str, Any] = {}
    if desired.cni == BRIDGE:
        controller = {"extraArgs": [{"name": "node-cidr-mask-size", "value": str(desired.node_prefix)}]}
    made: Dict[str, Any] = {
        "apiVersion": KUBEADM,
        "kind": "ClusterConfiguration",
        "clusterName": desired.cluster,
        "kubernetesVersion": f"v{desired.version}",
        "controlPlaneEndpoint": desired.endpoint,
        "imageRepository": desired.image_repository,
        "networking": {
            "podSubnet": desired.pod_subnet,
            "serviceSubnet": desired.service_subnet,
            "dnsDomain": desired.dns_domain,
        },
        "apiServer": {"certSANs": _names(desired)},
        "controllerManager": controller,
    }
    return _merged(_without_empty(made), desired.init_extra)


def proxy_configuration(desired: KubeClusterDesired) -> Dict[str, Any]:
    """Return KubeProxyConfiguration; in a container the connection table is the host's and is left as it is."""
    conntrack = {"maxPerCore": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": desired.proxy_mode,
        "clusterCIDR": desired.pod_subnet,
        "conntrack": conntrack if desired.container else {},
    }


def join_documents(desired: KubeClusterDesired, means: Means) -> str:
    """Return what ``kubeadm join`` is given. It holds secrets: for a file on tmpfs only."""
    token = {"token": means.token, "apiServerEndpoint": desired.endpoint, "caCertHashes": [means.ca_hash]}
    row: Dict[str, Any] = {
        "apiVersion": KUBEADM,
        "kind": "JoinConfiguration",
        "nodeRegistration": _registration(desired),
        "discovery": {"bootstrapToken": token},
    }
    if desired.control_plane:
        row["controlPlane"] = _without_empty(
            {"localAPIEndpoint": _local(desired), "certificateKey": means.certificate_key}
        )
    return documents([_without_empty(row)])


def means_documents(version: str, server: str, address: str, key: str) -> str:
    """Return what is given to kubeadm where it makes means to join; with ``key`` the text holds a secret."""
    local = {"localAPIEndpoint": {"advertiseAddress": address}} if address else {}
    row = {"apiVersion": KUBEADM, "kind": "InitConfiguration", **local, **({"certificateKey": key} if key else {})}
    cluster = {"kubernetesVersion": f"v{version}", "controlPlaneEndpoint": server}
    return documents([row, {"apiVersion": KUBEADM, "kind": "ClusterConfiguration", **cluster}])


def upgrade_documents(desired: KubeClusterDesired) -> str:
    """Return what ``kubeadm upgrade apply`` and ``upgrade node`` are given."""
    pull = "Never" if desired.never_pull else "IfNotPresent"
    common = {"ignorePreflightErrors": list(desired.ignore), "imagePullPolicy": pull}
    row = {
        "apiVersion": KUBEADM,
        "kind": "UpgradeConfiguration",
        "apply": _without_empty({"kubernetesVersion": f"v{desired.version}", **common}),
        "node": _without_empty(common),
    }
    return documents([row])


def reset_documents() -> str:
    """Return what ``kubeadm reset`` is given."""
    return documents([{"apiVersion": KUBEADM, "kind": "ResetConfiguration", "criSocket": SOCKET, "force": True}])


def _registration(desired: KubeClusterDesired) -> Dict[str, Any]:
    arguments = [{"name": "node-ip", "value": desired.advertise}] if desired.advertise else []
    return {
        "name": desired.name,
        "criSocket": SOCKET,
        "imagePullPolicy": "Never" if desired.never_pull else "IfNotPresent",
        # An empty list says: no taint. Without the field kubeadm would taint a control plane in any case.
        "taints": taint_rows(registered_taints(desired)),
        "kubeletExtraArgs": arguments,
        "ignorePreflightErrors": list(desired.ignore),
    }


def registered_taints(desired: KubeClusterDesired) -> Tuple[str, ...]:
    """Return the taints a node registers with: all declared ones, so that no pod slips in before they are set."""
    return tuple(dict.fromkeys(desired.taints))


def _local(desired: KubeClusterDesired) -> Dict[str, Any]:
    return {"advertiseAddress": desired.advertise, "bindPort": API_PORT} if desired.advertise else {}


def _skipped(desired: KubeClusterDesired) -> List[str]:
    # The token phase also makes the rules by which joining kubelets get their certificates, so it stays.
    return ["show-join-command", *(["addon/kube-proxy"] if desired.proxy_mode == "none" else [])]


def _names(desired: KubeClusterDesired) -> List[str]:
    host = desired.endpoint.rpartition(":")[0].strip("[]")
    rows = [host, desired.virtual.address, desired.advertise, *desired.cert_sans]
    return list(dict.fromkeys(row for row in rows if row))


def _without_empty(row: Mapping[str, Any]) -> Dict[str, Any]:
    kept = {}
    for name, value in row.items():
        one = _without_empty(value) if isinstance(value, Mapping) else value
        if one not in ("", {}, [], None) or name == "taints":
            kept[name] = one
    return kept


def _merged(made: Dict[str, Any], extra: Mapping[str, Any]) -> Dict[str, Any]:
    """Return ``made`` with fields added; lists of arguments are joined, everything else replaces."""
    rows = dict(made)
    for name, value in extra.items():
        there = rows.get(name)
        if isinstance(there, dict) and isinstance(value, Mapping):
            rows[name] = _merged(there, value)
        elif isinstance(there, list) and isinstance(value, (list, tuple)):
            rows[name] = [*there, *(one for one in value if one not in there)]
        else:
            rows[name] = value
    return rows

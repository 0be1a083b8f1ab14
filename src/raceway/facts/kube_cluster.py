"""What a node says about its part in a cluster: files of kubeadm, its Node object, routes, and who answers for it.

image: registry.k8s.io/kube-apiserver:v1.35.4
server: https://10.89.77.10:6443
{"dst":"10.244.1.0/24","gateway":"10.89.77.12","dev":"eth0","protocol":"204","flags":[]}
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Tuple

from .kube_service import ServiceFacts

_IMAGE = re.compile(r"^[\s-]*image:\s*\S+:v?([0-9][^\s\"']*)", re.MULTILINE)
_SERVER = re.compile(r"^\s*server:\s*[\"']?https?://([^\s\"'/]+)", re.MULTILINE)
_ADVERTISED = re.compile(r"advertise-address\.endpoint:\s*[\"']?([^\s\"']+):[0-9]+[\"']?\s*$", re.MULTILINE)
_TOKEN = re.compile(r"--token ([a-z0-9]{6}\.[a-z0-9]{16})\b")
_HASH = re.compile(r"--discovery-token-ca-cert-hash (sha256:[0-9a-f]{64})\b")


@dataclass(frozen=True)
class NodeObject:
    """A Node as the API server has it. ``taints`` as ``key[=value]:Effect``; ``ready``: True, False or unknown."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Tuple[str, ...] = ()
    pod_subnet: str = ""
    address: str = ""
    kubelet: str = ""
    ready: Optional[bool] = None
    why_not: str = ""
    unschedulable: bool = False


@dataclass(frozen=True)
class PodRoute:
    """A route to another node's pods."""

    subnet: str
    gateway: str


@dataclass(frozen=True)
class Certificate:
    """``days`` left, negative where it has run out; ``authority``: others were signed with it."""

    path: str
    days: float
    authority: bool = False


@dataclass(frozen=True)
class KubeClusterFacts:
    """``joined``: the kubelet has credentials of its own; ``api_server``: version in its manifest, empty for none.

    ``leftovers``: files of a kubeadm run that did not end well. ``begun``: the run of raceway's that was interrupted;
    ``version``: the one raceway put the node in with, or last brought it to, empty where another hand did. ``problem``:
    why the API did not answer. ``answering``: who answers at the endpoint of a node that is in no cluster. ``files``:
    path → text of ours. ``sums``: of the declared CNI manifests, "" for one that cannot be read; ``applied_sums``: of
    what was applied.
    """

    joined: bool = False
    api_server: str = ""
    server: str = ""
    leftovers: Tuple[str, ...] = ()
    begun: str = ""
    node: Optional[NodeObject] = None
    others: Tuple[NodeObject, ...] = ()
    problem: str = ""
    answering: str = ""
    routes: Tuple[PodRoute, ...] = ()
    masquerade: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    owned: Tuple[str, ...] = ()
    services: Mapping[str, ServiceFacts] = field(default_factory=dict)
    certificates: Tuple[Certificate, ...] = ()
    own_labels: Tuple[str, ...] = ()
    own_taints: Tuple[str, ...] = ()
    version: str = ""
    sums: Mapping[str, str] = field(default_factory=dict)
    applied_sums: Mapping[str, str] = field(default_factory=dict)


def parse_image_version(manifest: str) -> str:
    """Return the version of a static pod's image, empty where there is none."""
    found = _IMAGE.search(manifest)
    return found[1] if found else ""


def parse_server(kubeconfig: str) -> str:
    """Return host:port of the API server in a kubeconfig; nothing else of it is looked at.

    >>> parse_server("clusters:\\n- cluster:\\n    server: https://10.0.0.10:6443\\n")
    '10.0.0.10:6443'
    """
    found = _SERVER.search(kubeconfig)
    return found[1] if found else ""


def parse_advertised(manifest: str) -> str:
    """Return the address an API server tells others, as kubeadm notes it in its manifest; empty where it does not.

    >>> parse_advertised("    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.11:6443\\n")
    '10.0.0.11'
    """
    found = _ADVERTISED.search(manifest)
    return found[1].strip("[]") if found else ""


def parse_version(text: str) -> str:
    """Return the version that ``kubeadm version -o short`` prints, without its v."""
    word = text.strip()
    return word[1:] if re.fullmatch(r"v[0-9]+\.[0-9]+\.[0-9]+\S*", word) else ""


def parse_join(text: str) -> Tuple[str, str]:
    """Return token and hash of the command ``kubeadm token create --print-join-command`` prints, empty where not."""
    token, digest = _TOKEN.search(text), _HASH.search(text)
    return (token[1], digest[1]) if token and digest else ("", "")


def parse_nodes(text: str) -> List[NodeObject]:
    """Return the Nodes of ``kubectl get nodes -o json`` (or of one); ValueError for a text that holds none."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("kind") not in ("List", "NodeList", "Node"):
        raise ValueError("no Node in it")
    rows = [data] if data["kind"] == "Node" else data.get("items", [])
    return [_node(row) for row in rows]


def _node(row: Mapping[str, Any]) -> NodeObject:
    meta, spec, status = row.get("metadata") or {}, row.get("spec") or {}, row.get("status") or {}
    ready: Mapping[str, Any] = next((one for one in status.get("conditions") or () if one.get("type") == "Ready"), {})
    addresses = [one["address"] for one in status.get("addresses") or () if one.get("type") == "InternalIP"]
    return NodeObject(
        name=str(meta.get("name", "")),
        labels=dict(meta.get("labels") or {}),
        taints=tuple(_taint(one) for one in spec.get("taints") or ()),
        pod_subnet=str(spec.get("podCIDR") or ""),
        address=addresses[0] if addresses else "",
        kubelet=str((status.get("nodeInfo") or {}).get("kubeletVersion", "")).lstrip("v"),
        ready={"True": True, "False": False}.get(str(ready.get("status"))),
        why_not=str(ready.get("message") or "").splitlines()[0] if ready.get("message") else "",
        unschedulable=bool(spec.get("unschedulable")),
    )


def _taint(row: Mapping[str, str]) -> str:
    value = f"={row['value']}" if row.get("value") else ""
    return f"{row.get('key', '')}{value}:{row.get('effect', '')}"


def parse_routes(text: str) -> Tuple[PodRoute, ...]:
    """Return the routes of ``ip -N -j route show proto 204``; none for an empty answer."""
    try:
        rows = json.loads(text or "[]")
    except ValueError:
        return ()
    found = [row for row in rows if isinstance(row, dict) and row.get("gateway")]
    return tuple(PodRoute(str(row.get("dst", "")), str(row["gateway"])) for row in found)

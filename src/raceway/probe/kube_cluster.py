"""Reads a node's part in a cluster: kubeadm's files, our own, routes, certificates, and what the API server says.

The API server is asked with credentials the node has anyway: the kubelet's, or an administrator's on a control plane.
It deliberately starts no program on a node that is in no cluster but the one that asks whether somebody else answers at
the endpoint.
"""

from __future__ import annotations

import hashlib
import time
from typing import Dict, List, Optional, Tuple

from ..facts.kube_cluster import (
    Certificate,
    KubeClusterFacts,
    NodeObject,
    PodRoute,
    parse_image_version,
    parse_nodes,
    parse_routes,
    parse_server,
)
from ..facts.kube_cluster_certificates import not_after
from ..facts.kube_service import ServiceFacts
from ..facts.unit import UnitState
from ..host import Host, Ledger
from ..model.kube_cluster import (
    ADMIN,
    API_SERVER,
    BEGUN,
    BOOK,
    BRIDGE,
    ETCD_DATA,
    HOME,
    KUBELET,
    LABELS,
    MEMBER,
    PKI,
    SUMS,
    TAINTS,
    KubeClusterDesired,
)
from ..plan import dropin
from ..plan.kube_cluster import PATHS, UNITS
from ..plan.kube_cluster_network import PROTOCOL
from .kube_service import ACTIVE_BOOK, ENABLED_BOOK, PENDING_BOOK
from .unit import show

API_TIMEOUT_S = 5
CLIENT = "/var/lib/kubelet/pki/kubelet-client-current.pem"
KUBECONFIGS = tuple(f"{HOME}/{name}.conf" for name in ("admin", "super-admin", "controller-manager", "scheduler"))
AUTHORITIES = ("ca.crt", "front-proxy-ca.crt", "etcd/ca.crt")
DAY_S = 86400.0


def probe(host: Host, desired: KubeClusterDesired, ledger: Ledger) -> KubeClusterFacts:
    """Return the facts the planner compares with ``desired``."""
    owned = tuple(path for path in ledger.owned(dropin.BOOK) if path in PATHS)
    book = ledger.owned(BOOK)
    if not (desired.present or owned or book):
        return KubeClusterFacts()
    joined = host.exists(KUBELET) and host.exists(CLIENT)
    texts = {path: host.read(path) for path in PATHS}
    asked = _ask(host, desired) if joined and desired.present else (None, (), "")
    bridge = joined and desired.cni == BRIDGE
    return KubeClusterFacts(
        joined=joined,
        api_server=parse_image_version(host.read(API_SERVER) or ""),
        # A control-plane node's kubelet asks its own API server (kubeadm's local mode), its administrator the endpoint.
        server=parse_server(host.read(kubeconfig(host)) or ""),
        leftovers=() if joined else _leftovers(host),
        begun=str(book.get(BEGUN) or ""),
        version=str(book.get(MEMBER) or ""),
        node=asked[0],
        others=asked[1],
        problem=asked[2],
        answering=_answering(host, desired) if desired.first and not joined else "",
        routes=routes(host) if bridge else (),
        masquerade=bridge and masqueraded(host),
        files={path: text for path, text in texts.items() if text is not None},
        owned=owned,
        services=_services(host, ledger),
        certificates=_certificates(host) if joined else (),
        own_labels=tuple(book.get(LABELS) or ()),
        own_taints=tuple(book.get(TAINTS) or ()),
        sums={path: manifest_sum(host, path) for path in desired.cni_manifests},
        applied_sums=dict(book.get(SUMS) or {}),
    )


def manifest_sum(host: Host, path: str) -> str:
    """Return the sum of a file, or of an address itself: what stands behind an address is expected to stay."""
    text = path if path.startswith(("http://", "https://")) else host.read(path)
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def kubeconfig(host: Host) -> str:
    """Return the credentials the node asks with."""
    return ADMIN if host.exists(ADMIN) else KUBELET


def nodes(host: Host, path: str) -> Tuple[List[NodeObject], str]:
    """Return the cluster's nodes, and why there are none to tell of."""
    limit = f"{API_TIMEOUT_S}s"
    done = host.run(["kubectl", "--kubeconfig", path, "--request-timeout", limit, "get", "nodes", "-o", "json"])
    if done.rc:
        return [], _last_line(done.err or done.out)
    try:
        return parse_nodes(done.out), ""
    except ValueError as error:
        return [], f"kubectl printed no nodes: {error}"


def _ask(host: Host, desired: KubeClusterDesired) -> Tuple[Optional[NodeObject], Tuple[NodeObject, ...], str]:
    found, problem = nodes(host, kubeconfig(host))
    own = next((one for one in found if one.name == desired.name), None)
    return own, tuple(one for one in found if one.name != desired.name), problem


def _answering(host: Host, desired: KubeClusterDesired) -> str:
    """Return the version of an API server that answers at the endpoint, empty where none does."""
    argv = ["kubectl", "--server", f"https://{desired.endpoint}", "--insecure-skip-tls-verify=true"]
    done = host.run([*argv, "--request-timeout", "3s", "get", "--raw", "/version"])
    if done.rc:
        return "it wants credentials" if "nauthorized" in done.err or "orbidden" in done.err else ""
    import json

    try:
        return str(json.loads(done.out).get("gitVersion") or "an API server")
    except (ValueError, AttributeError):
        return "something that is no API server"


def routes(host: Host) -> Tuple[PodRoute, ...]:
    """Return the routes to pods that raceway has made."""
    return parse_routes(host.run(["ip", "-N", "-j", "route", "show", "proto", str(PROTOCOL)]).out)


def masqueraded(host: Host) -> bool:
    """Tell whether packets of pods get the node's address where they leave the pods' network."""
    return "raceway-pods" in host.run(["iptables", "-w", "-t", "nat", "-S", "POSTROUTING"]).out


def _leftovers(host: Host) -> Tuple[str, ...]:
    paths = [f"{HOME}/manifests/{name}" for name in host.listdir(f"{HOME}/manifests") if name.endswith(".yaml")]
    paths += [path for path in (ADMIN, KUBELET, f"{PKI}/ca.crt") if host.exists(path)]
    return tuple(paths + [path for path in (f"{ETCD_DATA}/member",) if host.exists(path)])


def _services(host: Host, ledger: Ledger) -> Dict[str, ServiceFacts]:
    states, problem = show(host, list(UNITS))
    enabled, active, pending = (ledger.owned(book) for book in (ENABLED_BOOK, ACTIVE_BOOK, PENDING_BOOK))
    return {
        unit: ServiceFacts(states.get(unit, UnitState()), enabled, active, pending, problem=problem) for unit in UNITS
    }


def _certificates(host: Host) -> Tuple[Certificate, ...]:
    now = time.time()
    names = [*sorted(host.glob(f"{PKI}/*.crt")), *sorted(host.glob(f"{PKI}/etcd/*.crt")), *KUBECONFIGS, CLIENT]
    rows = []
    for path in names:
        end = not_after(host.read(path) or "")
        if end is not None:
            authority = path[len(PKI) + 1 :] in AUTHORITIES
            rows.append(Certificate(path, (end - now) / DAY_S, authority))
    return tuple(rows)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "kubectl ended without a word"

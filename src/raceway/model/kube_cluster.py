"""A node's part in a cluster as declared: control plane or worker, which cluster, and what the node brings to it.

Everything here follows from the inventory. It deliberately holds no secret: what lets a node in (a token, the key of
the certificates, a short-lived kubeconfig) comes beside the desired state, as ``Means``, and is on no disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

CONTROL_PLANE, WORKER = "control_plane", "worker"
BRIDGE, MANIFESTS, NO_CNI = "bridge", "manifests", "none"
API_PORT = 6443
HOME = "/etc/kubernetes"
ADMIN = f"{HOME}/admin.conf"
KUBELET = f"{HOME}/kubelet.conf"
PKI = f"{HOME}/pki"
API_SERVER = f"{HOME}/manifests/kube-apiserver.yaml"
ETCD_DATA = "/var/lib/etcd"
SECRETS = "/run/raceway/kube"  # on tmpfs; what stands here is removed by whoever wrote it
BOOK = "kube_cluster"  # ledger section; MEMBER: the version, once raceway has put the node in; BEGUN: while it does
MEMBER, BEGUN, LABELS, TAINTS, SUMS = "member", "begun", "labels", "taints", "sums"
# Checks of kubeadm that may be left out, each with what is then not seen.
IGNORABLE: Dict[str, str] = {
    "SystemVerification": "whether the kernel's configuration, its cgroups and the container runtime's version will do",
    "NumCPU": "whether a control-plane node has two CPUs",
    "Mem": "whether a control-plane node has 1700 MiB of memory",
    "Swap": "whether swap is on",
    "Hostname": "whether the node's name can be resolved",
    "FileExisting-socat": "whether socat is there, which port forwarding by old runtimes calls",
    "FileExisting-tc": "whether tc is there, which bandwidth limits of pods call",
    "FileContent--proc-sys-net-bridge-bridge-nf-call-iptables": "whether bridged packets pass the rules of Services",
    "Firewalld-6443,10250": "whether a firewall is on that closes these ports",
}
CONTROL_PLANE_TAINT = "node-role.kubernetes.io/control-plane:NoSchedule"


@dataclass(frozen=True)
class VirtualAddress:
    """The address control-plane nodes share. ``prefix``: bits; ``router``: VRRP's number, one a network (1-255)."""

    address: str = ""
    interface: str = ""
    prefix: int = 32
    router: int = 51


@dataclass(frozen=True)
class Snapshot:
    """Copies of etcd: where, how many are kept, when (systemd.time(7)). An empty folder: none are taken."""

    folder: str = ""
    keep: int = 7
    calendar: str = "daily"


@dataclass(frozen=True)
class Means:
    """What lets a node in. Never printed. ``kubeconfig``: of a client that may label and taint nodes, for minutes."""

    token: str = field(default="", repr=False)
    ca_hash: str = field(default="", repr=False)
    certificate_key: str = field(default="", repr=False)
    kubeconfig: str = field(default="", repr=False)


@dataclass(frozen=True)
class KubeClusterDesired:
    """What the ``kube_cluster`` noun is given. ``present`` false: the node is in no cluster that raceway put it in.

    ``endpoint``: host:port of the API for everybody; ``first``: this node makes the cluster, all others join it.
    ``init_extra``: fields of ClusterConfiguration; ``never_pull``: images are on the node already. ``upgrading``: the
    node has been drained for another version. ``cni_manifests``: paths or addresses, applied by the first node.
    """

    present: bool = False
    role: str = WORKER
    first: bool = False
    name: str = ""
    cluster: str = "kubernetes"
    version: str = ""
    endpoint: str = ""
    advertise: str = ""
    virtual: VirtualAddress = VirtualAddress()
    pod_subnet: str = ""
    node_prefix: int = 24
    service_subnet: str = ""
    dns_domain: str = "cluster.local"
    cni: str = BRIDGE
    cni_folder: str = "/opt/cni/bin"
    cni_manifests: Tuple[str, ...] = ()
    mtu: int = 0
    proxy_mode: str = "iptables"
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Tuple[str, ...] = ()
    cert_sans: Tuple[str, ...] = ()
    warn_days: int = 30
    snapshot: Snapshot = Snapshot()
    image_repository: str = "registry.k8s.io"
    never_pull: bool = False
    init_extra: Mapping[str, Any] = field(default_factory=dict)
    ignore: Tuple[str, ...] = ()
    container: bool = False
    upgrading: bool = False

    @property
    def control_plane(self) -> bool:
        """True for a node that carries the control plane."""
        return self.role == CONTROL_PLANE


_PLAIN = (
    *("present", "role", "first", "name", "cluster", "version", "endpoint", "advertise", "pod_subnet", "node_prefix"),
    *("service_subnet", "dns_domain", "cni", "cni_folder", "mtu", "proxy_mode", "warn_days", "image_repository"),
    *("never_pull", "init_extra", "upgrading"),
)


def parse(spec: Mapping[str, Any]) -> KubeClusterDesired:
    """Read the JSON form: the fields' names, each may be left out, and ``platform`` as every noun has it."""
    rows: Dict[str, Any] = {name: spec[name] for name in _PLAIN if name in spec}
    for name in ("cni_manifests", "taints", "cert_sans", "ignore"):
        rows[name] = tuple(spec.get(name, ()))
    rows["labels"] = {str(key): str(value) for key, value in spec.get("labels", {}).items()}
    virtual, snapshot = spec.get("virtual") or {}, spec.get("snapshot") or {}
    rows["virtual"] = VirtualAddress(**virtual)
    rows["snapshot"] = Snapshot(**snapshot)
    rows["container"] = spec.get("platform") == "container"
    return KubeClusterDesired(**rows)


def parse_means(secrets: Mapping[str, Any]) -> Means:
    """Read what came beside the request; what is not there is empty."""
    found = secrets.get("kube_cluster") or {}
    names = ("token", "ca_hash", "certificate_key", "kubeconfig")
    return Means(**{name: str(found.get(name) or "") for name in names})


def minor(version: str) -> Optional[Tuple[int, int]]:
    """Return major and minor of a version, None for a text that is none.

    >>> minor("v1.35.4"), minor("1.36.0-rc.1"), minor("latest")
    ((1, 35), (1, 36), None)
    """
    parts = version.lstrip("v").split(".")
    if len(parts) < 3 or not all(part.isdigit() for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1])


def taint_rows(taints: Tuple[str, ...]) -> List[Dict[str, str]]:
    """Return the rows of ``spec.taints``; an empty value is left out, as the API server does.

    >>> taint_rows(("gpu=yes:NoSchedule",))
    [{'key': 'gpu', 'value': 'yes', 'effect': 'NoSchedule'}]
    """
    rows = []
    for text in taints:
        left, _, effect = text.rpartition(":")
        key, _, value = left.partition("=")
        rows.append({"key": key, **({"value": value} if value else {}), "effect": effect})
    return rows

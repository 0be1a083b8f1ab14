"""The command line of each program of a lab's control plane.

Everything listens on loopback and speaks TLS where it carries data. Pure; it deliberately reads no file and knows no
order of starting beyond what each program needs.
"""

from __future__ import annotations

from pathlib import Path

from .programs import ADMISSION, STAGES, Program
from .record import Record


def all_programs(record: Record, folder: Path) -> list[Program]:
    """All programs in starting order."""
    port = record.ports
    return [
        _etcd(port, folder),
        _api(port, folder),
        _controllers(port, folder),
        _kwok(port, folder),
        _volcano(
            "vc-controller-manager", port, folder, {"controllers": "*", "kube-api-qps": 500, "kube-api-burst": 1000}
        ),
        _volcano("vc-scheduler", port, folder, _scheduler_options(folder)),
        _webhook(port, folder),
    ]


def _etcd(port: dict[str, int], folder: Path) -> Program:
    client, peer = f"https://127.0.0.1:{port['etcd']}", f"https://127.0.0.1:{port['etcd-peer']}"
    health = f"http://127.0.0.1:{port['etcd-health']}"
    options = {
        "name": "lab",
        "data-dir": folder / "etcd",
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"lab={peer}",
        "listen-metrics-urls": health,
        **_tls(folder, "etcd", "cert-file", "key-file", "trusted-ca-file"),
        "client-cert-auth": "true",
        **_tls(folder, "etcd", "peer-cert-file", "peer-key-file", "peer-trusted-ca-file"),
        "peer-client-cert-auth": "true",
        "auto-compaction-retention": 1,
        "quota-backend-bytes": 4 * 1024**3,
    }
    return Program("etcd", _flags(options), port["etcd"], f"{health}/health")


def _api(port: dict[str, int], folder: Path) -> Program:
    own, account_key = port["kube-apiserver"], folder / "pki" / "sa.key"
    options = {
        "etcd-servers": f"https://127.0.0.1:{port['etcd']}",
        **_tls(folder, "etcd", "etcd-certfile", "etcd-keyfile", "etcd-cafile"),
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "secure-port": own,
        **_tls(folder, "api", "tls-cert-file", "tls-private-key-file", "client-ca-file"),
        "service-account-key-file": account_key,
        "service-account-signing-key-file": account_key,
        "service-account-issuer": "https://kubernetes.default.svc",
        "authorization-mode": "Node,RBAC",
        "allow-privileged": "true",
        "service-cluster-ip-range": "10.0.0.0/16",
        "endpoint-reconciler-type": "none",
    }
    return Program("kube-apiserver", _flags(options), own, f"https://127.0.0.1:{own}/readyz", needs=("etcd",))


def _controllers(port: dict[str, int], folder: Path) -> Program:
    name = "kube-controller-manager"
    options = {
        "kubeconfig": folder / "kubeconfig",
        "bind-address": "127.0.0.1",
        "secure-port": port[name],
        "tls-cert-file": folder / "pki" / "api.crt",
        "tls-private-key-file": folder / "pki" / "api.key",
        "root-ca-file": folder / "pki" / "ca.crt",
        "service-account-private-key-file": folder / "pki" / "sa.key",
        "leader-elect": "false",
        "kube-api-qps": 300,
        "kube-api-burst": 600,
    }
    return Program(
        name, _flags(options), port[name], f"https://127.0.0.1:{port[name]}/healthz", needs=("kube-apiserver",)
    )


def _kwok(port: dict[str, int], folder: Path) -> Program:
    options = {
        "kubeconfig": folder / "kubeconfig",
        "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
        "server-address": f"127.0.0.1:{port['kwok']}",
        "node-lease-duration-seconds": 40,
        # Pod addresses: away from the Services' range, and enough of them.
        "cidr": "10.128.0.1/12",
    }
    flags = (*_flags(options), *[f"--config={stage}" for stage in STAGES])
    return Program("kwok", flags, port["kwok"], f"http://127.0.0.1:{port['kwok']}/healthz", needs=("kube-apiserver",))


def _volcano(name: str, port: dict[str, int], folder: Path, more: dict[str, object]) -> Program:
    health = f"127.0.0.1:{port[f'{name}-health']}"
    options = {
        "kubeconfig": folder / "kubeconfig",
        "leader-elect": "false",
        "listen-address": f"127.0.0.1:{port[name]}",
        "enable-healthz": "true",
        "healthz-address": health,
        "enable-metrics": "true",
        **more,
    }
    return Program(name, _flags(options), port[name], f"http://{health}/healthz", needs=("kube-apiserver",), crds=True)


def _scheduler_options(folder: Path) -> dict[str, object]:
    return {
        "scheduler-conf": folder / "run" / "scheduler" / "volcano-scheduler.conf",
        "cache-dumper": "false",
        "kube-api-qps": 2000,
        "kube-api-burst": 2000,
        # Level 2 tells which configuration was loaded.
        "v": 2,
    }


def _webhook(port: dict[str, int], folder: Path) -> Program:
    own = port["vc-webhook-manager"]
    options = {
        "kubeconfig": folder / "kubeconfig",
        **_tls(folder, "webhook", "tls-cert-file", "tls-private-key-file", "ca-cert-file"),
        "listen-address": "127.0.0.1",
        "port": own,
        "webhook-url": f"https://127.0.0.1:{own}",
        "enabled-admission": ADMISSION,
    }
    health = f"https://127.0.0.1:{own}/healthz"
    return Program(
        "vc-webhook-manager",
        _flags(options),
        own,
        health,
        ("kube-apiserver",),
        crds=True,
        webhooks=True,
        any_status=True,
    )


def _flags(options: dict[str, object]) -> tuple[str, ...]:
    return tuple(f"--{name}={value}" for name, value in options.items())


def _tls(folder: Path, leaf: str, certificate: str, key: str, authority: str) -> dict[str, object]:
    pki = folder / "pki"
    return {certificate: pki / f"{leaf}.crt", key: pki / f"{leaf}.key", authority: pki / "ca.crt"}

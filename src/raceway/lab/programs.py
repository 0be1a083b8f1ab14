"""The programs of a lab's control plane: their arguments, ports, health addresses, and what each waits for.

Pure. It deliberately asks nothing and starts nothing: ``supervisor`` does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .record import Record

TOOLS = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok", "vc-scheduler", "vc-controller-manager", "vc-webhook-manager")
PORTS = (
    "etcd", "etcd-peer", "etcd-health", "kube-apiserver", "kube-controller-manager", "kwok",
    "vc-scheduler", "vc-scheduler-health", "vc-controller-manager", "vc-controller-manager-health", "vc-webhook-manager",
)
# Volcano's scheduler and controllers start informers on these kinds and never serve without them.
CRDS = (
    "jobs.batch.volcano.sh", "commands.bus.volcano.sh", "podgroups.scheduling.volcano.sh", "queues.scheduling.volcano.sh",
    "numatopologies.nodeinfo.volcano.sh", "hypernodes.topology.volcano.sh", "cronjobs.batch.volcano.sh",
    "nodeshards.shard.volcano.sh", "jobflows.flow.volcano.sh", "jobtemplates.flow.volcano.sh",
)
WEBHOOK_PREFIX = "volcano-admission-service-"
ADMISSION = "{admission}"
SUPERVISOR = "raceway.lab.supervisor"
# kwok's stages, shipped with the package.
STAGES = tuple(Path(__file__).parent / "stages" / name for name in ("node.yaml", "pod.yaml"))


@dataclass(frozen=True)
class Program:
    """One program. ``needs``: programs that must be healthy first; ``crds``/``webhooks``: API objects that must exist."""

    name: str
    arguments: tuple[str, ...]
    port: int
    health: str
    needs: tuple[str, ...] = ()
    crds: bool = False
    webhooks: bool = False
    # Any HTTP answer counts where a program has no health path on its serving port.
    any_status: bool = False


def all_programs(record: Record, folder: Path, stages: Sequence[Path] = STAGES) -> list[Program]:
    """All programs in starting order."""
    return [*_base(record, folder, stages), *_volcano(record, folder)]


def fingerprint(record: Record, programs: Sequence[Program]) -> str:
    """Differs when a running supervisor works from other arguments or other binaries."""
    text = json.dumps([[asdict(program) for program in programs], record.tools], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def admission_paths(configurations: Sequence[str]) -> str:
    """``volcano-admission-service-jobs-mutate`` … → ``/jobs/mutate,…`` for --enabled-admission."""
    nouns = sorted({name.removeprefix(WEBHOOK_PREFIX) for name in configurations if name.startswith(WEBHOOK_PREFIX)})
    return ",".join("/" + noun.replace("-", "/") for noun in nouns)


def _base(record: Record, folder: Path, stages: Sequence[Path]) -> list[Program]:
    port, pki = record.ports, folder / "pki"
    etcd, peer = f"https://127.0.0.1:{port['etcd']}", f"https://127.0.0.1:{port['etcd-peer']}"
    api = f"https://127.0.0.1:{port['kube-apiserver']}"
    kubeconfig = f"--kubeconfig={folder / 'kubeconfig'}"
    tls = _tls(pki, "etcd", "--cert-file", "--key-file", "--trusted-ca-file")
    peer_tls = _tls(pki, "etcd", "--peer-cert-file", "--peer-key-file", "--peer-trusted-ca-file")
    return [
        Program("etcd", (
            "--name=lab", f"--data-dir={folder / 'etcd'}", f"--listen-client-urls={etcd}", f"--advertise-client-urls={etcd}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=lab={peer}",
            f"--listen-metrics-urls=http://127.0.0.1:{port['etcd-health']}", *tls, "--client-cert-auth", *peer_tls,
            "--peer-client-cert-auth", "--auto-compaction-retention=1", "--quota-backend-bytes=4294967296",
        ), port["etcd"], f"http://127.0.0.1:{port['etcd-health']}/health"),
        Program("kube-apiserver", (
            f"--etcd-servers={etcd}", *_tls(pki, "etcd", "--etcd-certfile", "--etcd-keyfile", "--etcd-cafile"),
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={port['kube-apiserver']}",
            *_tls(pki, "api", "--tls-cert-file", "--tls-private-key-file", "--client-ca-file"),
            f"--service-account-key-file={pki / 'sa.key'}", f"--service-account-signing-key-file={pki / 'sa.key'}",
            "--service-account-issuer=https://kubernetes.default.svc", "--authorization-mode=Node,RBAC",
            "--allow-privileged=true", "--service-cluster-ip-range=10.0.0.0/16", "--endpoint-reconciler-type=none",
        ), port["kube-apiserver"], f"{api}/readyz", needs=("etcd",)),
        Program("kube-controller-manager", (
            kubeconfig, f"--root-ca-file={pki / 'ca.crt'}", f"--service-account-private-key-file={pki / 'sa.key'}",
            "--bind-address=127.0.0.1", f"--secure-port={port['kube-controller-manager']}", "--leader-elect=false",
            f"--tls-cert-file={pki / 'api.crt'}", f"--tls-private-key-file={pki / 'api.key'}",
            "--kube-api-qps=300", "--kube-api-burst=600",
        ), port["kube-controller-manager"], f"https://127.0.0.1:{port['kube-controller-manager']}/healthz", needs=("kube-apiserver",)),
        Program("kwok", (
            kubeconfig, "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
            f"--server-address=127.0.0.1:{port['kwok']}", "--node-lease-duration-seconds=40",
            *[f"--config={stage}" for stage in stages],
        ), port["kwok"], f"http://127.0.0.1:{port['kwok']}/healthz", needs=("kube-apiserver",)),
    ]


def _volcano(record: Record, folder: Path) -> list[Program]:
    port, pki = record.ports, folder / "pki"
    kubeconfig = f"--kubeconfig={folder / 'kubeconfig'}"

    def serving(name: str) -> tuple[str, ...]:
        return (
            kubeconfig, "--leader-elect=false", f"--listen-address=127.0.0.1:{port[name]}", "--enable-healthz",
            f"--healthz-address=127.0.0.1:{port[f'{name}-health']}",
        )

    def health(name: str) -> str:
        return f"http://127.0.0.1:{port[f'{name}-health']}/healthz"

    webhook = port["vc-webhook-manager"]
    return [
        Program("vc-controller-manager", (
            *serving("vc-controller-manager"), "--controllers=*", "--kube-api-qps=500", "--kube-api-burst=1000",
        ), port["vc-controller-manager"], health("vc-controller-manager"), needs=("kube-apiserver",), crds=True),
        Program("vc-scheduler", (
            *serving("vc-scheduler"), "--enable-metrics", f"--scheduler-conf={folder / 'run' / 'scheduler' / 'volcano-scheduler.conf'}",
            "--cache-dumper=false", "--kube-api-qps=2000", "--kube-api-burst=2000", "-v=2",
        ), port["vc-scheduler"], health("vc-scheduler"), needs=("kube-apiserver",), crds=True),
        Program("vc-webhook-manager", (
            kubeconfig, *_tls(pki, "webhook", "--tls-cert-file", "--tls-private-key-file", "--ca-cert-file"),
            "--listen-address=127.0.0.1", f"--port={webhook}", f"--webhook-url=https://127.0.0.1:{webhook}",
            f"--enabled-admission={ADMISSION}",
        ), webhook, f"https://127.0.0.1:{webhook}/healthz", needs=("kube-apiserver",), crds=True, webhooks=True, any_status=True),
    ]


def _tls(pki: Path, name: str, certificate: str, key: str, authority: str) -> tuple[str, ...]:
    return (f"{certificate}={pki / name}.crt", f"{key}={pki / name}.key", f"{authority}={pki / 'ca.crt'}")

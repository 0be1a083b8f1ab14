"""Volcano's own installer manifests, made fit for a cluster people depend on.

Taken from the module's ``installer/volcano-development.yaml`` and changed where that file is a development install:
two replicas with leader election and a disruption budget, requests and limits, images pulled once, pods on different
nodes, and a certificate made beforehand instead of by a Helm hook. It deliberately leaves RBAC, ports and security
contexts as upstream has them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from raceway.cluster import webhooks
from raceway.cluster.problems import Problem, refuse

Manifest = dict[str, Any]
NAMESPACE = "volcano-system"
CERTIFICATE_SECRET = "volcano-admission-secret"
PROGRAMS = ("volcano-admission", "volcano-controllers", "volcano-scheduler")
_ELECTED = ("volcano-controllers", "volcano-scheduler")
_DROPPED_KINDS = {"Namespace", "CustomResourceDefinition"}
_HOOK = "helm.sh/hook"
_OWN_CONFIGMAP = "volcano-scheduler-configmap"  # rendered from the typed configuration instead

# From the production figures in volcano#4677: (cpu, memory) requested and allowed.
RESOURCES = {
    "volcano-admission": (("200m", "500Mi"), ("500m", "500Mi")),
    "volcano-controllers": (("500m", "500Mi"), ("2000m", "2000Mi")),
    "volcano-scheduler": (("500m", "500Mi"), ("2000m", "2000Mi")),
}


@dataclass(frozen=True)
class InstallArgs:
    """``installer`` is the text of the manifests; the PEM texts are the admission's certificate, key and CA."""

    installer: str
    version: str
    ca_pem: str
    certificate_pem: str
    key_pem: str = field(repr=False)
    replicas: int = 2
    registry: str = "docker.io/volcanosh"

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        if self.replicas < 1:
            problems.append(Problem("volcano.replicas", str(self.replicas), "1 or more", "correct it"))
        for name in ("ca_pem", "certificate_pem"):
            if "BEGIN CERTIFICATE" not in getattr(self, name):
                problems.append(Problem(f"volcano.{name}", "no PEM certificate", "PEM text", "make one"))
        if self.version not in self.installer:
            text = f"the installer names no image of {self.version}"
            problems.append(Problem("volcano.version", text, "the version of the installer", "use one module for both"))
        refuse(problems, "volcano installation")


def documents(installer: str) -> Iterator[Manifest]:
    """Yield the installer's objects without namespaces, CRDs and hooks.

    The CRDs are 17,000 of its 19,000 lines and are registered from their own files, so they are not even parsed.
    """
    for text in installer.split("\n---"):
        if "kind: CustomResourceDefinition" in text:
            continue
        document = yaml.safe_load(text)
        if not document or document["kind"] in _DROPPED_KINDS:
            continue
        if _HOOK in (document["metadata"].get("annotations") or {}) or document["metadata"]["name"] == _OWN_CONFIGMAP:
            continue
        yield document


def manifests(args: InstallArgs) -> list[Manifest]:
    """Return the objects in the order in which they must exist; webhook configurations come last."""
    made = [certificate_secret(args)]
    hooks: list[Manifest] = []
    for document in documents(args.installer):
        if document["kind"].endswith("WebhookConfiguration"):
            continue  # the typed ones carry the CA
        made.append(_deployment(document, args) if document["kind"] == "Deployment" else document)
    made += [_budget(name) for name in PROGRAMS if args.replicas > 1]
    hooks = webhooks.manifests(webhooks.Endpoint(args.ca_pem, namespace=NAMESPACE))
    return made + hooks


def certificate_secret(args: InstallArgs) -> Manifest:
    """Return the Secret that the admission pods mount."""
    pem = {"tls.crt": args.certificate_pem, "tls.key": args.key_pem, "ca.crt": args.ca_pem}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": CERTIFICATE_SECRET, "namespace": NAMESPACE},
        "type": "Opaque",
        "data": {name: base64.b64encode(text.encode()).decode() for name, text in pem.items()},
    }


def _deployment(document: Manifest, args: InstallArgs) -> Manifest:
    name = document["metadata"]["name"]
    spec = document["spec"]
    spec["replicas"] = args.replicas
    pod = spec["template"]["spec"]
    pod["serviceAccountName"] = pod.pop(
        "serviceAccount"
    )  # the deprecated spelling is mirrored by the API: a false drift
    pod["affinity"] = _apart(spec["selector"]["matchLabels"])
    for container in pod["containers"]:
        image = container["image"].rpartition("/")[2].partition(":")[0]
        container["image"] = f"{args.registry}/{image}:{args.version}"
        container["imagePullPolicy"] = "IfNotPresent"
        container["args"] = [_argument(word, name) for word in container["args"] if word != "2>&1"]
        container["resources"] = _resources(name)
    return document


def _argument(word: str, name: str) -> str:
    return "--leader-elect=true" if name in _ELECTED and word == "--leader-elect=false" else word


def _resources(name: str) -> Manifest:
    (cpu, memory), (cpu_limit, memory_limit) = RESOURCES[name]
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu_limit, "memory": memory_limit}}


def _apart(labels: dict[str, str]) -> Manifest:
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]
        }
    }


def _budget(name: str) -> Manifest:
    app = {"volcano-controllers": "volcano-controller"}.get(name, name)
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": app}}},
    }

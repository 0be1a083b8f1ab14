"""Volcano's admission as webhook configurations: at a Service in the cluster, or at a URL for a control plane outside.

The webhook manager only listens once every configuration it serves exists, and it writes its CA into them; giving the
same CA here keeps both sides equal, so no drift arises. It deliberately does not serve anything itself.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

NAME_PREFIX = "volcano-admission-service"
SERVICE_PORT = 443
TIMEOUT_S = 10
_GROUPS = {
    "jobs": ("batch.volcano.sh", "v1alpha1"),
    "cronjobs": ("batch.volcano.sh", "v1alpha1"),
    "queues": ("scheduling.volcano.sh", "v1beta1"),
    "podgroups": ("scheduling.volcano.sh", "v1beta1"),
    "hypernodes": ("topology.volcano.sh", "v1alpha1"),
}
# path → (webhook name, operations); the names are those of Volcano's own manifests.
PATHS: dict[str, tuple[str, tuple[str, ...]]] = {
    "/jobs/mutate": ("mutatejob.volcano.sh", ("CREATE",)),
    "/jobs/validate": ("validatejob.volcano.sh", ("CREATE", "UPDATE")),
    "/queues/mutate": ("mutatequeue.volcano.sh", ("CREATE",)),
    "/queues/validate": ("validatequeue.volcano.sh", ("CREATE", "UPDATE", "DELETE")),
    "/podgroups/validate": ("validatepodgroup.volcano.sh", ("CREATE",)),
    "/hypernodes/validate": ("validatehypernodes.volcano.sh", ("CREATE", "UPDATE")),
    "/cronjobs/validate": ("validatecronjob.volcano.sh", ("CREATE", "UPDATE")),
}


@dataclass(frozen=True)
class Endpoint:
    """Where the webhook manager answers: ``url`` (outside), or ``service`` in ``namespace`` (inside)."""

    ca_pem: str
    url: str = ""
    service: str = NAME_PREFIX
    namespace: str = "volcano-system"

    def client_config(self, path: str) -> dict[str, Any]:
        """Return ``clientConfig`` for one path."""
        bundle = base64.b64encode(self.ca_pem.encode()).decode()
        if self.url:
            return {"url": self.url.rstrip("/") + path, "caBundle": bundle}
        service = {"name": self.service, "namespace": self.namespace, "path": path, "port": SERVICE_PORT}
        return {"service": service, "caBundle": bundle}


def manifests(endpoint: Endpoint, paths: tuple[str, ...] = tuple(PATHS)) -> list[dict[str, Any]]:
    """Return one configuration per path, named as the webhook manager looks for it."""
    return [_configuration(endpoint, path) for path in paths]


def _configuration(endpoint: Endpoint, path: str) -> dict[str, Any]:
    noun, verb = path.strip("/").split("/")
    name, operations = PATHS[path]
    group, version = _GROUPS[noun]
    hook: dict[str, Any] = {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "NoneOnDryRun",
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "timeoutSeconds": TIMEOUT_S,
        "clientConfig": endpoint.client_config(path),
        "namespaceSelector": _not_in("volcano-system", "kube-system"),
        "rules": [
            {
                "apiGroups": [group],
                "apiVersions": [version],
                "operations": list(operations),
                "resources": [noun],
                "scope": "*",
            }
        ],
    }
    if verb == "mutate":
        hook["reinvocationPolicy"] = "Never"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration" if verb == "mutate" else "ValidatingWebhookConfiguration",
        "metadata": {"name": NAME_PREFIX + path.replace("/", "-")},
        "webhooks": [hook],
    }


def _not_in(*names: str) -> dict[str, Any]:
    expression = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(names)}
    return {"matchExpressions": [expression]}

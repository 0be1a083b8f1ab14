"""Volcano as one component, in one of two modes.

``external``: its programs run outside (the lab, a managed scheduler); the CRDs, the webhook configurations that lead
to them and the scheduler's ConfigMap are registered here. ``install``: its pods run in this cluster, see
``raceway.cluster.volcano_install``. It deliberately does not use the Helm chart: its certificate job is a hook, and
hooks are dropped by Pulumi's Chart (pulumi-kubernetes#3284).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from raceway.cluster import webhooks
from raceway.cluster.volcano_install import InstallArgs
from raceway.cluster.volcano_install import manifests as install_manifests
from raceway.components.constants import SCHEDULER_CONF_KEY, SCHEDULER_CONFIGMAP, VOLCANO_NAMESPACE
from raceway.components.gate import serving
from raceway.components.objects import KubernetesObject, YamlFiles
from raceway.errors import RacewayError

Manifest = dict[str, Any]


@dataclass(frozen=True)
class VolcanoArgs:
    """``scheduler_text`` is volcano-scheduler.conf. ``webhook_url`` and ``webhook_ca_pem`` only with external."""

    mode: str
    scheduler_text: str
    crd_files: tuple[str, ...] = ()
    webhook_url: str = ""
    webhook_ca_pem: str = ""
    install: InstallArgs | None = None

    def __post_init__(self) -> None:
        if self.mode not in ("external", "install"):
            raise RacewayError("volcano.mode", repr(self.mode), "external or install", "choose one")
        if (self.mode == "install") != (self.install is not None):
            raise RacewayError(
                "volcano", f"mode {self.mode}", "install arguments exactly with mode install", "set them"
            )
        if bool(self.webhook_url) != bool(self.webhook_ca_pem):
            raise RacewayError("volcano", "webhook address or its CA alone", "both or neither", "set the other one")


def names(args: VolcanoArgs) -> dict[str, str]:
    """Return the names that other programs look for."""
    return {"namespace": VOLCANO_NAMESPACE, "scheduler_configmap": SCHEDULER_CONFIGMAP, "mode": args.mode}


def manifests(args: VolcanoArgs) -> list[Manifest]:
    """Return every object but the CRDs, in the order in which they must exist."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": VOLCANO_NAMESPACE}}
    if args.install is not None:
        return [namespace, scheduler_configmap(args), *install_manifests(args.install)]
    if not args.webhook_url:
        return [namespace, scheduler_configmap(args)]
    endpoint = webhooks.Endpoint(args.webhook_ca_pem, url=args.webhook_url)
    return [namespace, scheduler_configmap(args), *webhooks.manifests(endpoint)]


def scheduler_configmap(args: VolcanoArgs) -> Manifest:
    """Return the ConfigMap the scheduler mounts (the lab's runner follows it)."""
    metadata = {"name": SCHEDULER_CONFIGMAP, "namespace": VOLCANO_NAMESPACE}
    data = {SCHEDULER_CONF_KEY: args.scheduler_text}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


class Volcano(pulumi.ComponentResource):
    """Registers Volcano; ``ready`` is what Queues, HyperNodes and jobs must depend on.

    ``crds`` is what namespaces depend on: a destroy then ends the jobs in them before it removes the kind of jobs.
    """

    crds: Sequence[pulumi.Resource]
    ready: pulumi.Output[Sequence[pulumi.Resource]]
    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: VolcanoArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:cluster:Volcano", name, {}, opts)
        before: list[pulumi.Resource] = []
        if args.crd_files:
            before = [YamlFiles(f"{name}-crds", args.crd_files, pulumi.ResourceOptions(parent=self))]
        self.crds = before
        namespace: list[pulumi.Resource] = []
        made: list[KubernetesObject] = []
        for manifest in manifests(args):
            child = pulumi.ResourceOptions(parent=self, depends_on=[*before, *namespace])
            one = KubernetesObject(_label(manifest), manifest, child)
            if manifest["kind"] == "Namespace":
                namespace = [one]
            made.append(one)
        everything: pulumi.Output[Sequence[pulumi.Resource]] = pulumi.Output.from_input([*before, *made])
        served = serving(args.webhook_url, args.webhook_ca_pem, made) if args.webhook_url else None
        self.ready = everything if served is None else served
        self.namespace = pulumi.Output.from_input(names(args)["namespace"])
        self.register_outputs({"namespace": self.namespace, "mode": args.mode})


def _label(manifest: Manifest) -> str:
    return f"{manifest['kind'].lower()}-{manifest['metadata']['name']}"

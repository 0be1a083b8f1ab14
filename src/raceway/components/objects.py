"""Kubernetes objects and patches as Pulumi resources, straight from dicts in API shape.

The generated SDK classes would take the same dicts, translate every key twice and cost a second of import; the engine
sees the same type tokens and inputs either way, so state made with one can be read by the other. It deliberately adds
no field but the annotations of ``claimed``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from raceway.components.constants import CLIENT_BURST, CLIENT_QPS
from raceway.components.versions import PROVIDER_KUBERNETES

Manifest = Mapping[str, Any]
# Kinds whose values must not be shown: what the SDK's Secret class marks too.
_SECRET_OUTPUTS = {"Secret": ["data", "stringData"]}
# They own nothing. Deleted in the foreground they would wait for the garbage collector, which looks for new kinds
# only every thirty seconds: seen as twenty seconds of destroy after a fresh installation of the CRDs.
_OWNING_NOTHING = ("Queue", "HyperNode")


def type_token(manifest: Manifest, patch: bool = False) -> str:
    """Return the provider's token of a manifest's kind.

    >>> type_token({"apiVersion": "v1", "kind": "Node"}, patch=True)
    'kubernetes:core/v1:NodePatch'
    """
    version = str(manifest["apiVersion"])
    group = version if "/" in version else f"core/{version}"
    return f"kubernetes:{group}:{manifest['kind']}{'Patch' if patch else ''}"


def claimed(manifest: Manifest) -> dict[str, Any]:
    """Return the manifest with orders to the provider: win conflicts, and how to delete.

    A field edited by hand belongs to the hand's tool, and without the first the API would refuse to give it back.
    """
    metadata = dict(manifest["metadata"])
    added = {"pulumi.com/patchForce": "true"}
    if manifest["kind"] in _OWNING_NOTHING:
        added["pulumi.com/deletionPropagationPolicy"] = "background"
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **added}
    return {**manifest, "metadata": metadata}


def merged(opts: pulumi.ResourceOptions, manifest: Manifest) -> pulumi.ResourceOptions:
    """Return the options with the pinned provider version and the outputs that are secret."""
    secret = _SECRET_OUTPUTS.get(str(manifest["kind"]), [])
    pinned = pulumi.ResourceOptions(version=PROVIDER_KUBERNETES, additional_secret_outputs=secret)
    return pulumi.ResourceOptions.merge(pinned, opts)


class KubernetesObject(pulumi.CustomResource):
    """One object of the API; deleted from the cluster when it is no longer declared."""

    metadata: pulumi.Output[dict[str, Any]]

    def __init__(self, name: str, manifest: Manifest, opts: pulumi.ResourceOptions) -> None:
        super().__init__(type_token(manifest), name, claimed(manifest), merged(opts, manifest))


class KubernetesPatch(pulumi.CustomResource):
    """Fields of an object that somebody else owns; on destroy only these fields are given back.

    ``manager`` is the owner's name to the API server. The provider would draw one by lot for each create: a run killed
    within a create would then leave fields of an owner nobody knows any more, and destroy would not take them back.
    """

    metadata: pulumi.Output[dict[str, Any]]

    def __init__(self, name: str, manifest: Manifest, manager: str, opts: pulumi.ResourceOptions) -> None:
        owned = claimed(manifest)
        owned["metadata"]["annotations"]["pulumi.com/patchFieldManager"] = manager
        super().__init__(type_token(manifest, patch=True), name, owned, merged(opts, manifest))


class YamlFiles(pulumi.ComponentResource):
    """Objects from YAML files, registered inside the provider (large CRDs never pass through Python)."""

    def __init__(self, name: str, files: Sequence[str], opts: pulumi.ResourceOptions) -> None:
        pinned = pulumi.ResourceOptions.merge(pulumi.ResourceOptions(version=PROVIDER_KUBERNETES), opts)
        props = {"files": list(files), "resources": None}
        super().__init__("kubernetes:yaml/v2:ConfigGroup", name, props, pinned, remote=True)


def provider(name: str, identity: str, kubeconfig: str = "") -> pulumi.ProviderResource:
    """Return the explicit provider of one cluster.

    ``identity`` alone decides whether it is the same cluster; without it a changed port or path would replace
    every object. Without ``kubeconfig`` the provider reads $KUBECONFIG, and no path or credential enters the state.
    """
    props: dict[str, Any] = {
        "clusterIdentifier": identity,
        "enableServerSideApply": True,
        # In place: the scheduler follows its ConfigMap, and for a moment without one it would fall back.
        "enableConfigMapMutable": True,
        "enableSecretMutable": True,
        "kubeClientSettings": {"qps": CLIENT_QPS, "burst": CLIENT_BURST},
    }
    if kubeconfig:
        props["kubeconfig"] = kubeconfig
    props = {key: value if isinstance(value, str) else pulumi.Output.json_dumps(value) for key, value in props.items()}
    return pulumi.ProviderResource("kubernetes", name, props, pulumi.ResourceOptions(version=PROVIDER_KUBERNETES))

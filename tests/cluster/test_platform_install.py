"""Volcano as pods: every object judged by the real API server in a dry run, strictly.

It cannot show that the pods run (no kubelet, no images here); that is for a cluster with nodes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import pytest

from raceway.cli.render import manifests
from raceway.cluster.volcano_install import certificate_secret
from raceway.components.program import layout, stack_file_settings, volcano_args
from raceway.stack import destroy, up

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
# Forced: the namespace and the scheduler's ConfigMap of the external layout are there already.
DRY_RUN = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", "-")


@pytest.fixture(scope="module")
def lab() -> Iterator[PlatformLab]:
    made = shared()
    made.up(make_machines(2))
    # Only the CRDs the layout's objects are of: admission would judge each dry run without the ones before it.
    without = {"webhookUrl": "", "webhookCaFile": ""}
    nothing = {"namespaces": [], "priorities": [], "queues": [], "topology": {"source": "none"}}
    project = made.project("platform", volcano=without, **nothing)
    up(project, show=False)
    yield made
    destroy(project, show=False)


def test_the_api_server_accepts_every_object_of_the_example_stack(
    lab: PlatformLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACEWAY_STATE", str(lab.folder / "state"))
    args = argparse.Namespace(project="platform", stack="example-production", inventory=None)
    objects = manifests(args)
    kinds = {one["kind"] for one in objects}
    assert {"Deployment", "PodDisruptionBudget", "ValidatingWebhookConfiguration", "Queue", "HyperNode"} <= kinds
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    told = lab.kubectl(*DRY_RUN, given=json.dumps(listed))
    assert told.count("serverside-applied") == len(objects), told


def test_the_certificate_is_accepted_too_and_stays_the_same(lab: PlatformLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_STATE", str(lab.folder / "state"))
    project = lab.project("platform", "example-production")
    settings = stack_file_settings(project.stack_file, "raceway-platform")
    first, second = (volcano_args(layout(settings, project.folder), "x").install for _ in range(2))
    assert first is not None and first == second
    lab.kubectl(*DRY_RUN, given=json.dumps(certificate_secret(first)))


def test_a_misspelt_field_would_have_been_seen(lab: PlatformLab) -> None:
    bad = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}, "dataa": {}}
    with pytest.raises(AssertionError, match="field not declared in schema"):
        lab.kubectl(*DRY_RUN, given=json.dumps(bad))

"""Volcano as pods: what is changed in its installer, and that nothing of a development install is left."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.cluster.volcano_install import InstallArgs, manifests
from raceway.errors import RacewayError

PEM = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
INSTALLER = """
apiVersion: v1
kind: Namespace
metadata: {name: volcano-system}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: x}
---
apiVersion: batch/v1
kind: Job
metadata: {name: volcano-admission-init, annotations: {"helm.sh/hook": pre-install}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap}
---
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: volcano-scheduler}
---
kind: Deployment
apiVersion: apps/v1
metadata: {name: volcano-scheduler, namespace: volcano-system}
spec:
  replicas: 1
  selector: {matchLabels: {app: volcano-scheduler}}
  template:
    spec:
      serviceAccount: volcano-scheduler
      containers:
        - name: volcano-scheduler
          image: docker.io/volcanosh/vc-scheduler:v1.15.1
          imagePullPolicy: Always
          args: [--leader-elect=false, -v=3, "2>&1"]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: untyped}
"""


def make_args(**changes: Any) -> InstallArgs:
    base = {"installer": INSTALLER, "version": "v1.15.1", "ca_pem": PEM, "certificate_pem": PEM, "key_pem": "k"}
    return InstallArgs(**{**base, **changes})


def named(kind: str, **changes: Any) -> list[dict[str, Any]]:
    return [one for one in manifests(make_args(**changes)) if one["kind"] == kind]


def test_hooks_crds_namespaces_and_the_pasted_configuration_are_left_out() -> None:
    kinds = {one["kind"] for one in manifests(make_args())}
    assert not kinds & {"Namespace", "CustomResourceDefinition", "Job", "ConfigMap"}


def test_the_scheduler_runs_twice_with_one_leader_and_bounded_resources() -> None:
    (deployment,) = named("Deployment")
    (box,) = deployment["spec"]["template"]["spec"]["containers"]
    assert deployment["spec"]["replicas"] == 2 and box["args"] == ["--leader-elect=true", "-v=3"]
    assert box["resources"]["requests"] == {"cpu": "500m", "memory": "500Mi"}
    assert "podAntiAffinity" in deployment["spec"]["template"]["spec"]["affinity"]


def test_images_come_from_the_named_registry_at_the_pinned_version_and_are_pulled_once() -> None:
    (deployment,) = named("Deployment", registry="mirror.example.com/volcano")
    (box,) = deployment["spec"]["template"]["spec"]["containers"]
    assert (
        box["image"] == "mirror.example.com/volcano/vc-scheduler:v1.15.1" and box["imagePullPolicy"] == "IfNotPresent"
    )


def test_the_certificate_comes_before_what_mounts_it_and_the_webhooks_last_with_its_ca() -> None:
    kinds = [one["kind"] for one in manifests(make_args())]
    assert kinds[0] == "Secret" and kinds[-1] == "ValidatingWebhookConfiguration"
    assert all(one["metadata"]["name"] != "untyped" for one in manifests(make_args()))


def test_more_than_one_replica_gets_a_disruption_budget_that_selects_its_pods() -> None:
    budgets = {
        one["metadata"]["name"]: one["spec"]["selector"]["matchLabels"]["app"] for one in named("PodDisruptionBudget")
    }
    assert budgets["volcano-controllers"] == "volcano-controller"  # the chart's label lacks the s
    assert named("PodDisruptionBudget", replicas=1) == []


def test_the_key_is_not_shown() -> None:
    assert "SECRET-KEY" not in repr(make_args(key_pem="SECRET-KEY"))


@pytest.mark.parametrize("changes", [{"replicas": 0}, {"ca_pem": ""}, {"version": "v9.9.9"}])
def test_arguments_that_cannot_work_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RacewayError):
        make_args(**changes)

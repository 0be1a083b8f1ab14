"""Webhook configurations: the same hooks as Volcano's own manifests, at a URL or a Service."""

from __future__ import annotations

import base64

from raceway.cluster.webhooks import PATHS, Endpoint, manifests

CA = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"


def test_a_url_endpoint_leads_each_path_to_its_own_address_with_the_ca() -> None:
    made = manifests(Endpoint(CA, url="https://127.0.0.1:8443/"))
    urls = [one["webhooks"][0]["clientConfig"]["url"] for one in made]
    assert urls == [f"https://127.0.0.1:8443{path}" for path in PATHS]
    assert base64.b64decode(made[0]["webhooks"][0]["clientConfig"]["caBundle"]).decode() == CA


def test_names_are_those_the_webhook_manager_looks_for() -> None:
    names = {(one["kind"], one["metadata"]["name"]) for one in manifests(Endpoint(CA, url="https://x"))}
    assert ("MutatingWebhookConfiguration", "volcano-admission-service-jobs-mutate") in names
    assert ("ValidatingWebhookConfiguration", "volcano-admission-service-hypernodes-validate") in names


def test_a_service_endpoint_names_the_service_and_every_hook_fails_closed() -> None:
    for one in manifests(Endpoint(CA, namespace="volcano-system")):
        hook = one["webhooks"][0]
        assert hook["clientConfig"]["service"]["namespace"] == "volcano-system"
        assert hook["failurePolicy"] == "Fail" and "volcano-system" in str(hook["namespaceSelector"])


def test_queue_deletion_is_judged_too() -> None:
    (queues,) = [
        one for one in manifests(Endpoint(CA, url="https://x")) if one["metadata"]["name"].endswith("queues-validate")
    ]
    assert queues["webhooks"][0]["rules"][0]["operations"] == ["CREATE", "UPDATE", "DELETE"]

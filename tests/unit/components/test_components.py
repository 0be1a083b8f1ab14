"""Each component registers exactly its manifests, under an explicit provider, in the needed order."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pulumi
import pytest

from raceway.cluster.hypernodes import HyperNode, Member
from raceway.cluster.jobs.torchrun import TorchrunJobArgs
from raceway.cluster.queues import Queue
from raceway.cluster.tenancy import Namespace, PriorityClass
from raceway.components import nodes, queues, tenancy, topology, training_job, volcano
from raceway.components.objects import type_token
from raceway.components.versions import PROVIDER_KUBERNETES
from raceway.errors import RacewayError
from raceway.model.machine import Machine

from .recorder import Recorder, record

CA = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
TREE = queues.QueuesArgs((Queue("a", parent="p"), Queue("p"), Queue("q")))


def of_kind(recorder: Recorder, kind: str) -> list[str]:
    return [one.name for one in recorder.made if one.typ.endswith(":" + kind)]


@pytest.mark.parametrize(
    ("version", "kind", "token"),
    [
        ("v1", "Namespace", "kubernetes:core/v1:Namespace"),
        ("apps/v1", "Deployment", "kubernetes:apps/v1:Deployment"),
        ("scheduling.volcano.sh/v1beta1", "Queue", "kubernetes:scheduling.volcano.sh/v1beta1:Queue"),
    ],
)
def test_a_manifests_token_is_the_one_of_the_generated_sdk(version: str, kind: str, token: str) -> None:
    assert type_token({"apiVersion": version, "kind": kind}) == token


def test_tenancy_registers_namespaces_and_priorities_and_outputs_their_names() -> None:
    args = tenancy.TenancyArgs((Namespace("team"),), (PriorityClass("high", 10),))
    outputs: dict[str, Any] = {}

    def program(opts: pulumi.ResourceOptions) -> None:
        made = tenancy.Tenancy("tenancy", args, opts)
        made.namespaces.apply(lambda value: outputs.update(namespaces=value))

    recorder = record(program)
    assert sorted(recorder.tokens()) == [
        "kubernetes:core/v1:Namespace team",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass high",
    ]
    assert recorder.inputs("high")["value"] == 10 and outputs == {"namespaces": ["team"]}


def test_every_object_has_the_explicit_provider() -> None:
    recorder = record(lambda opts: queues.Queues("queues", TREE, opts))
    children = [one.provider for one in recorder.made if one.typ.startswith("kubernetes:")]
    assert len(children) == 3 and all("providers:kubernetes::cluster" in provider for provider in children)


def test_the_provider_is_known_by_identity_and_keeps_no_path_or_credential() -> None:
    recorder = record(lambda opts: None)
    (made,) = [one for one in recorder.made if one.typ == "pulumi:providers:kubernetes"]
    assert made.inputs["clusterIdentifier"] == "test" and "kubeconfig" not in made.inputs


def test_queues_register_parents_first_and_wait_only_for_parents() -> None:
    recorder = record(lambda opts: queues.Queues("queues", TREE, opts))
    order = of_kind(recorder, "Queue")
    assert order.index("p") < order.index("a") and len(order) == 3
    waits = {
        name: recorder.inputs(name)["metadata"]["annotations"].get("pulumi.com/waitFor") for name in ("p", "q", "a")
    }
    assert waits == {"p": "jsonpath={.status.state}=Open", "q": None, "a": None}


def test_every_object_and_patch_wins_conflicts_with_edits_by_hand() -> None:
    recorder = record(lambda opts: nodes.Nodes("nodes", nodes.NodesArgs((Machine("n1"),)), opts))
    annotations = recorder.inputs("n1-labels")["metadata"]["annotations"]
    assert annotations["pulumi.com/patchForce"] == "true"


def test_a_patch_has_the_same_owner_on_every_create() -> None:
    recorder = record(lambda opts: nodes.Nodes("nodes", nodes.NodesArgs((Machine("n1"),)), opts))
    assert recorder.inputs("n1-labels")["metadata"]["annotations"]["pulumi.com/patchFieldManager"] == "raceway-labels"


def test_nodes_are_patched_and_never_created() -> None:
    machine = Machine("n1", leaf="l", taints=("a=b:NoSchedule",))
    recorder = record(lambda opts: nodes.Nodes("nodes", nodes.NodesArgs((machine,), taints=True), opts))
    tokens = sorted(recorder.tokens())
    assert tokens == ["kubernetes:core/v1:NodePatch n1-labels", "kubernetes:core/v1:NodePatch n1-taints"]
    assert recorder.inputs("n1-labels")["metadata"]["labels"]["raceway.dev/leaf"] == "l"


def test_topology_registers_the_lowest_tier_first() -> None:
    top = HyperNode("top", 2, (Member("HyperNode", "low"),))
    low = HyperNode("low", 1, (Member("Node", "n1"),))
    args = topology.TopologyArgs((top, low), ("n1",))
    assert topology.names(args) == ["low", "top"]
    assert len(of_kind(record(lambda opts: topology.Topology("t", args, opts)), "HyperNode")) == 2


def test_a_training_job_brings_its_script_first_and_waits_only_when_told() -> None:
    job = TorchrunJobArgs("j", "team", "q", "x:1", 2, 8, script="pass")
    recorder = record(lambda opts: training_job.TrainingJob("j", training_job.TrainingJobArgs(job), opts))
    assert recorder.tokens() == [
        "kubernetes:core/v1:ConfigMap team-j-script",
        "kubernetes:batch.volcano.sh/v1alpha1:Job team-j",
    ]
    assert "pulumi.com/waitFor" not in recorder.inputs("team-j")["metadata"]["annotations"]
    waiting = training_job.manifests(training_job.TrainingJobArgs(job, wait=True))[-1]
    assert waiting["metadata"]["annotations"]["pulumi.com/waitFor"] == "jsonpath={.status.state.phase}=Running"


def test_external_volcano_registers_crds_configuration_and_webhooks_that_lead_outside() -> None:
    args = volcano.VolcanoArgs("external", "actions: x\n", ("a.yaml",), "https://127.0.0.1:1", CA)
    recorder = record(lambda opts: volcano.Volcano("volcano", args, opts), preview=True)
    assert recorder.inputs("volcano-crds")["files"] == ["a.yaml"]
    assert recorder.inputs("configmap-volcano-scheduler-configmap")["data"] == {
        "volcano-scheduler.conf": "actions: x\n"
    }
    assert len(of_kind(recorder, "ValidatingWebhookConfiguration")) == 5
    assert len(of_kind(recorder, "MutatingWebhookConfiguration")) == 2


def test_external_volcano_without_an_address_registers_no_webhooks() -> None:
    recorder = record(lambda opts: volcano.Volcano("volcano", volcano.VolcanoArgs("external", "x"), opts))
    assert sorted(recorder.tokens()) == [
        "kubernetes:core/v1:ConfigMap configmap-volcano-scheduler-configmap",
        "kubernetes:core/v1:Namespace namespace-volcano-system",
    ]


@pytest.mark.parametrize(
    "build",
    [
        lambda: queues.QueuesArgs((Queue("default"),)),
        lambda: queues.QueuesArgs((Queue("a", deserved={"cpu": "9"}),), total={"cpu": Fraction(8)}),
        lambda: tenancy.TenancyArgs((Namespace("kube-x"),)),
        lambda: topology.TopologyArgs((HyperNode("h", 1, ()),), ()),
        lambda: nodes.NodesArgs((Machine("N"),)),
        lambda: volcano.VolcanoArgs("helm", "x"),
        lambda: volcano.VolcanoArgs("install", "x"),
        lambda: volcano.VolcanoArgs("external", "x", webhook_url="https://x"),
    ],
)
def test_arguments_refuse_themselves_before_anything_is_registered(build: Any) -> None:
    with pytest.raises(RacewayError):
        build()


def test_the_provider_version_is_that_of_the_installed_sdk() -> None:
    from importlib.metadata import version

    assert version("pulumi-kubernetes") == PROVIDER_KUBERNETES

"""The platform stack on a real API server with real Volcano: laid out, looked at, drifted, repaired, removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from raceway.stack import Project, destroy, drift, up
from raceway.stack.recover import locks, pending

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster
CONFIGMAP = "configmap/volcano-scheduler-configmap"


@dataclass
class LaidOut:
    """The laid-out cluster and what was there before."""

    lab: PlatformLab
    project: Project
    before: dict[str, str]

    def preview(self) -> int:
        """Return the exit code of the drift gate as a pipeline calls it."""
        done = self.lab.pulumi(self.project, "preview", "--refresh", "--expect-no-changes")
        print(done.stdout, done.stderr)
        return done.returncode


@pytest.fixture(scope="module")
def laid_out() -> Iterator[LaidOut]:
    lab = shared()
    lab.up(make_machines(4))
    lab.kubectl("label", "node", "gpu-1", "somebody/else=here", "--overwrite")
    project = lab.project("platform")
    made = LaidOut(lab, project, lab.objects())
    up(project, show=True)
    yield made
    destroy(project, show=False)


def test_the_objects_are_those_of_the_declaration(laid_out: LaidOut) -> None:
    lab = laid_out.lab
    queues = {one["metadata"]["name"]: one for one in lab.get("queue")}
    assert set(queues) == {"root", "default", "research", "research-pretrain", "research-tuning", "open"}
    assert queues["research-pretrain"]["spec"]["parent"] == "research"
    assert queues["research-pretrain"]["status"]["state"] == "Open"
    tiers = {one["metadata"]["name"]: one["spec"]["tier"] for one in lab.get("hypernode")}
    assert tiers == {"leaf-1": 1, "leaf-2": 1, "spine-1": 2, "fabric": 3}
    (leaf,) = [one for one in lab.get("hypernode") if one["metadata"]["name"] == "leaf-2"]
    assert [member["selector"]["exactMatch"]["name"] for member in leaf["spec"]["members"]] == ["gpu-3", "gpu-4"]
    labels = lab.get("node", "gpu-3")["metadata"]["labels"]
    assert labels["raceway.dev/leaf"] == "leaf-2" and labels["raceway.dev/accelerator-kind"] == "nvidia"


def test_the_scheduler_runs_with_the_laid_out_configuration(laid_out: LaidOut) -> None:
    lab = laid_out.lab
    text = lab.get("-n", "volcano-system", CONFIGMAP)["data"]["volcano-scheduler.conf"]
    copied = lab.lab.folder / "run" / "scheduler" / "volcano-scheduler.conf"
    lab.wait("the scheduler's file follows the ConfigMap", lambda: copied.read_text() == text, 10)
    assert "network-topology-aware" in text


def test_admission_judges_queues(laid_out: LaidOut) -> None:
    bad = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "bad"},
        "spec": {"deserved": {"cpu": "2"}, "capability": {"cpu": "1"}},
    }
    with pytest.raises(AssertionError, match=r"denied the request.*deserved"):
        laid_out.lab.apply(bad)


def test_a_second_up_changes_nothing(laid_out: LaidOut) -> None:
    done = laid_out.lab.pulumi(laid_out.project, "up", "--yes", "--skip-preview", "--expect-no-changes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "created" not in done.stdout and "updated" not in done.stdout


def test_the_drift_gate_passes_on_an_untouched_cluster(laid_out: LaidOut) -> None:
    laid_out.lab.kubectl("label", "node", "gpu-3", "somebody/else=too", "--overwrite")  # a foreign label is no drift
    assert laid_out.preview() == 0
    laid_out.lab.kubectl("label", "node", "gpu-3", "somebody/else-")


DRIFTS = {
    "queue": (["patch", "queue", "open", "--type=merge", "-p", '{"spec":{"weight":7}}'], "Queue open: spec.weight"),
    "label": (["label", "node", "gpu-2", "raceway.dev/leaf=leaf-9", "--overwrite"], "Node gpu-2: metadata.labels"),
    "label removed": (["label", "node", "gpu-4", "raceway.dev/spine-"], "Node gpu-4: metadata.labels"),
    "hypernode": (
        ["patch", "hypernode", "leaf-1", "--type=json", "-p", '[{"op":"remove","path":"/spec/members/1"}]'],
        "HyperNode leaf-1: spec.members",
    ),
    "scheduler": (
        ["patch", "-n", "volcano-system", CONFIGMAP, "-p", json.dumps({"data": {"volcano-scheduler.conf": "x"}})],
        'ConfigMap volcano-system/volcano-scheduler-configmap: data["volcano-scheduler.conf"]',
    ),
    "priority": (["delete", "priorityclass", "train-low"], "PriorityClass train-low"),
    "webhook": (
        ["delete", "validatingwebhookconfiguration", "volcano-admission-service-hypernodes-validate"],
        "ValidatingWebhookConfiguration volcano-admission-service-hypernodes-validate",
    ),
}


def test_changes_by_hand_are_each_named_fail_the_gate_and_are_repaired(laid_out: LaidOut) -> None:
    for edit, _ in DRIFTS.values():
        laid_out.lab.kubectl(*edit)
    found = [one.message() for one in drift(laid_out.project, show=False)]
    print("\n".join(found))
    for name, (_, told) in DRIFTS.items():
        assert sum(message.startswith(told) for message in found) == 1, f"{name}: {told} in {found}"
    assert len(found) == len(DRIFTS)
    assert laid_out.preview() != 0
    up(laid_out.project, refresh=True, show=False)
    assert drift(laid_out.project, show=False) == []


def test_destroy_leaves_nothing_and_takes_only_our_labels(laid_out: LaidOut) -> None:
    destroy(laid_out.project, show=False)
    laid_out.lab.wait("terminating objects gone", lambda: laid_out.lab.objects() == laid_out.before, 30)
    labels = laid_out.lab.get("node", "gpu-1")["metadata"]["labels"]
    assert labels["somebody/else"] == "here" and not any(key.startswith("raceway.dev/") for key in labels)
    assert (pending(laid_out.project), locks(laid_out.project)) == ([], [])
    destroy(laid_out.project, show=False)  # nothing left is no error

"""Planning the kubelet: what a change restarts, what its pods would notice, and which checkpoints go."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.kube_service import ServiceFacts
from raceway.facts.kubelet import KubeletFacts
from raceway.facts.unit import UnitState
from raceway.model.kubelet import CONFIG, DROP_IN, FOLDER, STATES, KubeletDesired, fields
from raceway.model.plan import DISRUPTIVE, SAFE, Plan
from raceway.plan.kubelet import plan, texts

RUNNING = UnitState("kubelet.service", "loaded", "active", "running", "enabled", invocation="r1")
WAS = {"maxPods": 110, "cpuManagerPolicy": "none", "imageGCHighThresholdPercent": 85}
CPU, MEMORY = STATES["cpuManagerPolicy"], STATES["memoryManagerPolicy"]
ARGUMENTS = ("/usr/bin/kubelet", f"--config-dir={FOLDER}")


def make_facts(was: dict[str, Any] | None = None, **more: Any) -> KubeletFacts:
    """Return a node in a cluster with pods, whose kubelet runs with ``was``."""
    files = texts(KubeletDesired(True, WAS if was is None else was))
    facts = KubeletFacts(ServiceFacts(RUNNING), files, tuple(files), ("c1",), base=True, arguments=ARGUMENTS)
    return dataclasses.replace(facts, **more)


def make_plan(change: dict[str, Any], facts: KubeletFacts | None = None) -> Plan:
    return plan(KubeletDesired(True, {**WAS, **change}), facts or make_facts())


def test_a_node_as_declared_needs_nothing() -> None:
    made = make_plan({})
    assert made.empty and [noop.target for noop in made.noops] == [
        DROP_IN,
        CONFIG,
        "kubelet.service",
        "kubelet.service",
    ]


def test_a_setting_that_pods_do_not_notice_restarts_the_kubelet_without_consent() -> None:
    file, restart = make_plan({"imageGCHighThresholdPercent": 90}).steps
    assert (file.risk, restart.risk) == (SAFE, SAFE) and restart.type == "kube_up"
    assert restart.why == f"it reads {CONFIG} at its start only; pods run on"


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ({"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}, "given away anew"),
        ({"topologyManagerPolicy": "restricted"}, "a pod that no longer fits is refused"),
        ({"systemReserved": {"memory": "4Gi"}}, "less may be left for pods"),
        ({"evictionHard": {"memory.available": "5Gi"}}, "pods above a new threshold are evicted"),
        ({"maxPods": 20}, "a pod that no longer fits is refused"),
    ],
)
def test_what_pods_would_notice_needs_consent_and_is_told(change: dict[str, Any], noticed: str) -> None:
    made = make_plan(change)
    assert {step.risk for step in made.steps} == {DISRUPTIVE}
    assert noticed in made.steps[-1].why and next(iter(change)) in made.steps[-1].why
    assert {step.risk for step in make_plan(change, make_facts(containers=())).steps} == {SAFE}


def test_another_cpu_policy_removes_the_checkpoint_that_its_manager_would_not_start_on() -> None:
    facts = make_facts(policies={CPU: "none", MEMORY: "None"})
    made = make_plan({"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}, facts)
    assert [step.type for step in made.steps] == ["file", "kubelet_checkpoint", "kube_up"]
    assert made.steps[1].target == CPU and made.steps[1].risk == DISRUPTIVE


def test_other_reserved_cpus_under_the_same_policy_remove_it_too() -> None:
    was = {**WAS, "cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
    facts = make_facts(was, policies={CPU: "static"})
    made = plan(KubeletDesired(True, {**was, "reservedSystemCPUs": "0-1"}), facts)
    assert "kubelet_checkpoint" in [step.type for step in made.steps]


def test_memory_that_is_reserved_otherwise_removes_the_memory_managers_checkpoint_under_static_alone() -> None:
    was = {**WAS, "memoryManagerPolicy": "Static", "systemReserved": {"memory": "1Gi"}}
    changed = {**was, "systemReserved": {"memory": "2Gi"}}
    made = plan(KubeletDesired(True, changed), make_facts(was, policies={MEMORY: "Static"}))
    assert MEMORY in [step.target for step in made.steps]
    made = make_plan({"systemReserved": {"memory": "2Gi"}}, make_facts(policies={MEMORY: "None", CPU: "none"}))
    assert [step.type for step in made.steps] == ["file", "kube_up"]


def test_a_checkpoint_of_another_policy_is_drift_even_where_no_setting_changes() -> None:
    made = make_plan({}, make_facts(policies={CPU: "static"}))
    assert [step.type for step in made.steps] == ["kubelet_checkpoint", "kube_up"]


def test_a_kubelet_that_was_stopped_is_started_where_the_node_is_part_of_a_cluster() -> None:
    stopped = ServiceFacts(dataclasses.replace(RUNNING, active="inactive", sub="dead", invocation=""))
    (step,) = make_plan({}, make_facts(service=stopped, arguments=())).steps
    assert step.what == "start kubelet.service"
    made = make_plan({}, make_facts(service=stopped, arguments=(), base=False))
    assert made.empty and "kubeadm starts it" in made.noops[-1].reason


def test_a_kubelet_that_runs_without_our_folder_is_restarted() -> None:
    (step,) = make_plan({}, make_facts(arguments=("/usr/bin/kubelet", "--config=/var/lib/kubelet/config.yaml"))).steps
    assert step.type == "kube_up" and "without --config-dir" in step.why


def test_a_restart_that_was_interrupted_is_still_owed() -> None:
    owed = ServiceFacts(RUNNING, pending={"kubelet.service": "r1"})
    (step,) = make_plan({}, make_facts(service=owed)).steps
    assert "still runs with the content from before" in step.why
    assert make_plan({}, make_facts(service=ServiceFacts(RUNNING, pending={"kubelet.service": "r0"}))).empty


def test_the_settings_are_one_document_of_the_kubelets_own_kind() -> None:
    text = texts(KubeletDesired(True, WAS))[CONFIG]
    assert text.startswith("# Written by raceway (kubernetes)") and fields(text) == WAS
    assert '"apiVersion": "kubelet.config.k8s.io/v1beta1"' in text and '"kind": "KubeletConfiguration"' in text


def test_case_x05_containers_may_lock_what_their_kubelet_may() -> None:
    assert "LimitMEMLOCK=infinity" in texts(KubeletDesired(True, WAS))[DROP_IN].splitlines()
    assert "LimitMEMLOCK" not in texts(KubeletDesired(True, WAS, memlock=False))[DROP_IN]


def test_case_x10_the_kubelet_waits_for_its_disk_and_does_not_start_without_it() -> None:
    desired = KubeletDesired(True, WAS, ("/var/lib/kubelet", "/mnt/nvme/containerd"), ("/mnt/nvme",))
    lines = texts(desired)[DROP_IN].splitlines()
    assert lines.index("RequiresMountsFor=/mnt/nvme/containerd") < lines.index("[Service]")
    assert "RequiresMountsFor=/var/lib/kubelet" in lines and "AssertPathIsMountPoint=/mnt/nvme" in lines


def test_the_kubelet_does_not_loop_before_there_is_a_cluster() -> None:
    assert "ConditionPathExists=/var/lib/kubelet/config.yaml" in texts(KubeletDesired(True, WAS))[DROP_IN].splitlines()

"""Labels, taints and capacities come from the declaration alone."""

from __future__ import annotations

import dataclasses

from raceway.cluster.nodes import (
    check_machines,
    cluster_amounts,
    label_patch,
    offered_resources,
    parse_taint,
    taint_patch,
)
from raceway.model.machine import Machine


def make_machine(name: str = "gpu-1", **changes: object) -> Machine:
    base = Machine(name, cpus=64, memory_gib=512, accelerator_kind="nvidia", accelerator_count=8)
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def test_place_in_the_fabric_and_own_labels_become_node_labels() -> None:
    machine = make_machine(leaf="leaf-1", rack="r7", accelerator_model="H200 SXM", labels={"team/a": "x"})
    labels = label_patch(machine)["metadata"]["labels"]
    assert labels["raceway.dev/leaf"] == "leaf-1"
    assert labels["raceway.dev/accelerator-model"] == "H200-SXM"
    assert labels["team/a"] == "x" and "raceway.dev/spine" not in labels


def test_a_taint_with_an_unknown_effect_is_refused_with_the_known_ones() -> None:
    taint, problems = parse_taint("host a", "dedicated=x:NoScheduling")
    assert taint is None and "NoSchedule, PreferNoSchedule, NoExecute" in problems[0].allowed


def test_declared_taints_become_one_patch_of_their_own() -> None:
    patch = taint_patch(make_machine(taints=("dedicated=train:NoSchedule", "flag:NoExecute")))
    assert patch is not None and patch["spec"]["taints"] == [
        {"key": "dedicated", "effect": "NoSchedule", "value": "train"},
        {"key": "flag", "effect": "NoExecute"},
    ]
    assert "labels" not in patch["metadata"] and taint_patch(make_machine()) is None


def test_an_undeclared_size_is_unknown_and_not_zero() -> None:
    total = cluster_amounts([make_machine(), make_machine("gpu-2", memory_gib=0)])
    assert total == {"cpu": 128, "nvidia.com/gpu": 16}


def test_offered_resources_follow_kind_count_and_ports() -> None:
    machines = [make_machine(rdma_ports=2, rdma_resource="rdma/x"), make_machine("c", accelerator_kind="none")]
    assert offered_resources(machines) == {"nvidia.com/gpu", "rdma/x"}


def test_every_bad_host_is_told_at_once() -> None:
    machines = [make_machine("A"), make_machine("b"), make_machine("b"), make_machine("c", taints=("x",))]
    assert [problem.place for problem in check_machines(machines)] == ["host A", "host b", "host c node_taints"]

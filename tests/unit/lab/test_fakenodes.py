"""Fake nodes carry the declared capacity; only what differs is touched, only what is ours is removed."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.lab import fakenodes
from raceway.model.machine import Machine


def make_machine(**more: Any) -> Machine:
    return Machine(**{"name": "node1", "cpus": 64, "memory_gib": 512, "address": "192.0.2.7", **more})


@pytest.mark.parametrize(
    ("kind", "resource"),
    [("nvidia", "nvidia.com/gpu"), ("amd", "amd.com/gpu"), ("ascend", "huawei.com/Ascend910")],
)
def test_accelerators_and_rdma_ports_are_resources_of_the_node(kind: str, resource: str) -> None:
    machine = make_machine(accelerator_kind=kind, accelerator_count=8, rdma_ports=4, rdma_resource="rdma/ib")
    expected = {"cpu": "64", "memory": "512Gi", "pods": "110", resource: "8", "rdma/ib": "4"}
    status = fakenodes.manifest(machine, "lab")["status"]
    assert status["capacity"] == status["allocatable"] == expected


def test_a_machine_without_accelerators_and_rdma_offers_none() -> None:
    assert set(fakenodes.resources(make_machine())) == {"cpu", "memory", "pods"}


def test_the_only_label_is_the_host_name_and_kwok_is_told_by_annotation() -> None:
    node = fakenodes.manifest(make_machine(labels={"a": "b"}, taints=("a=b:NoSchedule",)), "lab")
    assert node["metadata"]["labels"] == {"kubernetes.io/hostname": "node1"}
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake", "raceway.dev/lab": "lab"}
    assert "spec" not in node


@pytest.mark.parametrize("address", ["", "node1.example.com"])
def test_only_an_address_becomes_an_internal_ip(address: str) -> None:
    addresses = fakenodes.manifest(make_machine(address=address), "lab")["status"]["addresses"]
    assert addresses == [{"type": "Hostname", "address": "node1"}]


def test_a_node_that_is_right_is_left_alone_whatever_else_it_carries() -> None:
    wanted = fakenodes.manifest(make_machine(), "lab")
    there = {**wanted, "metadata": {**wanted["metadata"], "labels": {"more": "labels"}}}
    assert fakenodes.changes([wanted], [there], "lab") == []


def test_a_resource_no_longer_declared_is_taken_away() -> None:
    wanted = fakenodes.manifest(make_machine(), "lab")
    there = fakenodes.manifest(make_machine(rdma_ports=2), "lab")
    [(act, name, body)] = fakenodes.changes([wanted], [there], "lab")
    assert (act, name) == ("status", "node1")
    assert body["status"]["capacity"]["rdma/rdma_shared_device_a"] is None
    assert body["status"]["allocatable"]["cpu"] == "64"


def test_a_machine_gone_from_the_inventory_goes_and_a_node_of_others_stays() -> None:
    ours = fakenodes.manifest(make_machine(name="old"), "lab")
    other_lab = fakenodes.manifest(make_machine(name="other"), "other")
    by_hand = {"metadata": {"name": "by-hand"}, "status": {}}
    todo = fakenodes.changes([fakenodes.manifest(make_machine(), "lab")], [ours, other_lab, by_hand], "lab")
    assert [(act, name) for act, name, _ in todo] == [("create", "node1"), ("delete", "old")]


def test_a_machine_comes_back_from_its_record() -> None:
    machine = make_machine(labels={"a": "b"}, taints=("a=b:NoSchedule",))
    values = {**machine.__dict__, "taints": ["a=b:NoSchedule"]}
    assert fakenodes.machine(values) == machine

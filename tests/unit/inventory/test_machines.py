"""Machines are what the inventory declares, in natural order, and none come out of an inventory with errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.inventory import Inventory, load, machines
from raceway.model.machine import Machine

Load = Callable[[str], Inventory]
EXAMPLE = Path(__file__).parents[3] / "inventories" / "example-roce"


def test_a_machine_carries_every_declared_value(loaded: Load) -> None:
    (machine,) = machines(
        loaded("""
        nodes:
          hosts:
            g1:
              node_platform: vm
              node_cpus: 8
              node_memory_gib: 64
              node_accelerator_kind: amd
              node_accelerator_model: MI300X
              node_accelerator_count: 4
              node_rdma_ports: 2
              node_rdma_resource: rdma/ib
              node_rack: r1
              node_leaf: l1
              node_spine: s1
              node_labels: {example.com/pool: a}
              node_taints: ["k=v:NoSchedule"]
              node_serial: S1
              node_address: 10.0.0.1
        """)
    )
    assert machine == Machine(
        name="g1", platform="vm", address="10.0.0.1", serial="S1", cpus=8, memory_gib=64, accelerator_kind="amd",
        accelerator_model="MI300X", accelerator_count=4, rdma_ports=2, rdma_resource="rdma/ib", rack="r1", leaf="l1",
        spine="s1", labels={"example.com/pool": "a"}, taints=("k=v:NoSchedule",),
    )  # fmt: skip


def test_machines_come_in_natural_order_and_only_from_the_group_nodes(loaded: Load) -> None:
    inventory = loaded("{nodes: {hosts: {node10: , node2: }}, jump: {hosts: {node1: }}}")
    assert [machine.name for machine in machines(inventory)] == ["node2", "node10"]


def test_every_host_is_a_machine_where_no_group_nodes_exists(loaded: Load) -> None:
    assert [machine.name for machine in machines(loaded("rack: {hosts: {b: , a: }}"))] == ["a", "b"]


def test_a_host_with_a_wrong_node_variable_is_told_and_no_machine_returned(loaded: Load) -> None:
    with pytest.raises(RacewayError, match="node_cpus"):
        machines(loaded("nodes: {hosts: {a: , b: {node_cpus: many}}}"))


def test_a_wrong_variable_of_another_role_does_not_hide_the_machines(loaded: Load) -> None:
    assert len(machines(loaded("nodes: {hosts: {a: {kernel_sysctl: 1}}}"))) == 1


def test_the_example_inventory_is_the_cluster_it_says_it_is() -> None:
    fleet = machines(load(EXAMPLE))
    gpu = [machine for machine in fleet if machine.accelerator_count]
    assert (len(fleet), len(gpu), {machine.accelerator_count for machine in gpu}) == (18, 16, {8})
    assert {machine.rack for machine in fleet} == {"r1", "r2", "r3", "r4"}
    assert {(machine.leaf, machine.spine) for machine in fleet} == {("leaf1", "spine1"), ("leaf2", "spine1")}
    assert len({machine.serial for machine in fleet} | {machine.address for machine in fleet}) == 36

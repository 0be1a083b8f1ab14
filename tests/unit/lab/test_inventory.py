"""The generated inventory is what Ansible reads and what the fake nodes are made from."""

from __future__ import annotations

from pathlib import Path

from raceway.lab import inventory

from .builders import make_node

FOLDER = Path("/state/labs/lab")


def test_every_node_is_in_both_groups_and_reached_by_the_labs_ssh() -> None:
    made = inventory.generated([make_node(1), make_node(2)], FOLDER)
    assert made["lab_nodes"]["hosts"] == ["lab-1", "lab-2"]
    assert made["nodes"]["children"] == ["lab_nodes"]
    variables = made["_meta"]["hostvars"]["lab-2"]
    assert variables["ansible_host"] == "10.213.0.12"
    assert variables["ansible_user"] == "root"
    assert variables["ansible_ssh_common_args"] == "-F /state/labs/lab/ssh/config"
    assert variables["ansible_python_interpreter"] == "/usr/bin/python3"
    assert variables["node_platform"] == "container"


def test_two_nodes_share_a_leaf_and_a_rack() -> None:
    made = inventory.generated([make_node(index) for index in range(1, 6)], FOLDER)
    leaves = [made["_meta"]["hostvars"][f"lab-{index}"]["node_leaf"] for index in range(1, 6)]
    assert leaves == ["leaf-1", "leaf-1", "leaf-2", "leaf-2", "leaf-3"]


def test_a_path_with_a_space_stays_one_argument() -> None:
    variables = inventory.host_variables(make_node(), 0, Path("/my state/lab"))
    assert variables["ansible_ssh_common_args"] == "-F '/my state/lab/ssh/config'"


def test_the_machines_are_the_declared_shape_and_serials_differ() -> None:
    machines = inventory.machines(inventory.generated([make_node(1), make_node(2)], FOLDER))
    assert [machine.name for machine in machines] == ["lab-1", "lab-2"]
    first = machines[0]
    assert (first.cpus, first.memory_gib, first.accelerator_count, first.rdma_ports) == (32, 256, 8, 4)
    assert (first.accelerator_resource, first.accelerator_model) == ("nvidia.com/gpu", "H100")
    assert first.address == "10.213.0.11"
    assert len({machine.serial for machine in machines}) == 2


def test_no_nodes_make_an_inventory_without_hosts() -> None:
    assert inventory.generated([], FOLDER)["_meta"]["hostvars"] == {}

"""A VM is declared as what it is, and reached by its name through the lab's ssh configuration."""

from __future__ import annotations

from pathlib import Path

from raceway.lab.record import Vm
from raceway.lab.vm import inventory
from raceway.lab.vm.spec import identity

FOLDER = Path("/state/labs/vmlab")
VMS = (Vm("vmlab-1", 26000), Vm("vmlab-2", 26001))


def test_every_vm_is_a_node_of_the_lab_and_reached_by_its_name() -> None:
    made = inventory.generated(VMS, FOLDER)
    assert made["vm_nodes"]["hosts"] == ["vmlab-1", "vmlab-2"]
    assert made["nodes"]["children"] == ["lab_nodes"]
    assert made["lab_nodes"]["children"] == ["vm_nodes"]
    variables = made["_meta"]["hostvars"]["vmlab-2"]
    assert variables["ansible_host"] == "vmlab-2"
    assert variables["ansible_ssh_common_args"] == "-F /state/labs/vmlab/ssh/config"


def test_what_is_declared_is_what_the_machine_has() -> None:
    variables = inventory.generated(VMS, FOLDER)["_meta"]["hostvars"]["vmlab-1"]
    assert variables["node_platform"] == "vm"
    assert (variables["node_cpus"], variables["node_memory_gib"]) == (2, 2)
    assert variables["node_serial"] == identity("vmlab-1").serial
    assert "node_accelerator_kind" not in variables

"""The inventory of a lab's VM nodes, in the JSON an executable inventory source prints.

Unlike a container node's, this declaration is what the machine has: CPUs, memory and serial are compared with it. It
deliberately declares no RDMA ports: soft-RoCE ports exist once a role has made them, and only then can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..inventory import NODES_PER_LEAF, ssh_arguments
from ..record import Vm
from .spec import DEFAULT, identity

CPUS = 2


def host_variables(vm: Vm, index: int, folder: Path) -> dict[str, Any]:
    """Variables of one VM; ``index`` counts from 0 and decides about rack and leaf."""
    leaf = index // NODES_PER_LEAF + 1
    return {
        # The lab's ssh configuration knows address, port and key by this name; the address alone is every VM's.
        "ansible_host": vm.name,
        "ansible_user": "root",
        "ansible_ssh_common_args": ssh_arguments(folder),
        "ansible_python_interpreter": "/usr/bin/python3",
        "node_platform": "vm",
        "node_cpus": CPUS,
        "node_memory_gib": DEFAULT.memory_mib // 1024,
        "node_serial": identity(vm.name).serial,
        "node_rack": f"rack-{leaf}",
        "node_leaf": f"leaf-{leaf}",
        "node_spine": "spine-1",
    }


def generated(vms: Iterable[Vm], folder: Path) -> dict[str, Any]:
    """The whole inventory, as ``--list`` prints it."""
    ordered = list(vms)
    hostvars = {vm.name: host_variables(vm, index, folder) for index, vm in enumerate(ordered)}
    return {
        "_meta": {"hostvars": hostvars},
        "all": {"children": ["nodes"]},
        "nodes": {"children": ["lab_nodes"]},
        "lab_nodes": {"children": ["vm_nodes"]},
        "vm_nodes": {"hosts": [vm.name for vm in ordered]},
    }

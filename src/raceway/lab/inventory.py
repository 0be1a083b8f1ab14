"""The inventory of a lab's own nodes, in the JSON an executable inventory source prints.

The machine behind a node is *declared* (8 accelerators, 4 RDMA ports), as in every inventory: it is the shape of the
fake cluster's node and not what the container has. It deliberately knows nothing of roles and their variables; those
stand in inventories/lab/group_vars.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from raceway.model.machine import Machine

from .record import Node

NODES_PER_LEAF = 2
DECLARED: dict[str, Any] = {
    "node_platform": "container",
    "node_cpus": 32,
    "node_memory_gib": 256,
    "node_accelerator_kind": "nvidia",
    "node_accelerator_model": "H100",
    "node_accelerator_count": 8,
    "node_rdma_ports": 4,
    "node_spine": "spine-1",
}


def host_variables(node: Node, index: int, folder: Path) -> dict[str, Any]:
    """Variables of one node; ``index`` counts from 0 and decides about rack and leaf."""
    leaf = index // NODES_PER_LEAF + 1
    return {
        "ansible_host": node.address,
        "ansible_user": "root",
        "ansible_ssh_common_args": ssh_arguments(folder),
        "ansible_python_interpreter": "/usr/bin/python3",
        **DECLARED,
        "node_address": node.address,
        "node_serial": f"{node.container}",
        "node_rack": f"rack-{leaf}",
        "node_leaf": f"leaf-{leaf}",
    }


def generated(nodes: Iterable[Node], folder: Path) -> dict[str, Any]:
    """The whole inventory, as ``--list`` prints it."""
    ordered = list(nodes)
    names = [node.name for node in ordered]
    hostvars = {node.name: host_variables(node, index, folder) for index, node in enumerate(ordered)}
    return {
        "_meta": {"hostvars": hostvars},
        "all": {"children": ["nodes"]},
        "nodes": {"children": ["lab_nodes"]},
        "lab_nodes": {"hosts": names},
    }


def machine(name: str, variables: dict[str, Any]) -> Machine:
    """The machine behind one generated host."""
    fields = {key.removeprefix("node_"): value for key, value in variables.items() if key.startswith("node_")}
    return Machine(name=name, **fields)


def machines(inventory: dict[str, Any]) -> list[Machine]:
    """All machines of a generated inventory."""
    return [machine(name, variables) for name, variables in inventory["_meta"]["hostvars"].items()]


def ssh_arguments(folder: Path) -> str:
    """What Ansible hands to ssh: the lab's own configuration (Ansible splits the text as a shell would)."""
    text = str(folder / "ssh" / "config")
    return f"-F '{text}'" if " " in text else f"-F {text}"

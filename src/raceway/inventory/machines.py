"""The machines of an inventory as the cluster layout sees them: declared capacity, place, labels and taints.

It deliberately takes nothing from the nodes themselves, and no machine at all from an inventory with errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.inventory.desired import refuse_broken
from raceway.inventory.evaluate import evaluator_of
from raceway.inventory.source import Inventory
from raceway.inventory.specs import load_specs
from raceway.model.machine import Machine

_FIELDS = (
    "platform",
    "address",
    "serial",
    "cpus",
    "memory_gib",
    "accelerator_kind",
    "accelerator_model",
    "accelerator_count",
    "rdma_ports",
    "rdma_resource",
    "rack",
    "leaf",
    "spine",
)


def machines(inventory: Inventory, roles_dir: Path | None = None) -> list[Machine]:
    """Return the hosts of the group ``nodes`` (every host where there is no such group), node2 before node10."""
    evaluator = evaluator_of(inventory, load_specs(roles_dir))
    states = [evaluator.host(host) for host in inventory.nodes]
    refuse_broken(state for state in states if not state.sound("node"))
    return [_machine(state.host, state.roles["node"]) for state in states]


def _machine(host: str, values: dict[str, Any]) -> Machine:
    fields = {name: values[f"node_{name}"] for name in _FIELDS}
    labels = {str(key): str(value) for key, value in values["node_labels"].items()}
    return Machine(name=host, labels=labels, taints=tuple(values["node_taints"]), **fields)

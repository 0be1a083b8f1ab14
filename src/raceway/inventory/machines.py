"""The machines of an inventory as the cluster layout sees them: declared capacity, place, labels and taints.

It deliberately takes nothing from the nodes themselves, and no machine at all from an inventory with errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory.evaluate import Evaluator
from raceway.inventory.findings import WARNING
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
    evaluator = Evaluator(inventory, load_specs(roles_dir))
    found = []
    for host in inventory.nodes:
        state = evaluator.host(host)
        if not state.sound("node"):
            errors = [one for one in evaluator.findings.sorted() if one.severity != WARNING]
            raise RacewayError(
                f"{host}: {errors[0].variable}",
                f"{errors[0].found}, at {errors[0].origin}",
                errors[0].allowed,
                "run raceway inventory check to see all errors",
            )
        found.append(_machine(host, state.roles["node"]))
    return found


def _machine(host: str, values: dict[str, Any]) -> Machine:
    fields = {name: values[f"node_{name}"] for name in _FIELDS}
    labels = {str(key): str(value) for key, value in values["node_labels"].items()}
    return Machine(name=str(host), labels=labels, taints=tuple(values["node_taints"]), **fields)

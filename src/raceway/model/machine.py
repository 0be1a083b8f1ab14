"""What the inventory declares one machine to be; labels, capacities and topology are all derived from this.

It deliberately holds nothing read from a node: facts are compared with the declaration, they never become it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

# Kubernetes extended resource of each accelerator kind (the device plugins' own documentation).
ACCELERATOR_RESOURCES: Dict[str, str] = {
    "nvidia": "nvidia.com/gpu",
    "amd": "amd.com/gpu",
    "ascend": "huawei.com/Ascend910",
    "none": "",
}
PLATFORMS = ("bare_metal", "vm", "container")


@dataclass(frozen=True)
class Machine:
    """One node as declared by its ``node_*`` variables (units in the names)."""

    name: str
    platform: str = "bare_metal"
    address: str = ""
    serial: str = ""
    cpus: int = 0
    memory_gib: int = 0
    accelerator_kind: str = "none"
    accelerator_model: str = ""
    accelerator_count: int = 0
    rdma_ports: int = 0
    rdma_resource: str = "rdma/rdma_shared_device_a"
    rack: str = ""
    leaf: str = ""
    spine: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Tuple[str, ...] = ()

    @property
    def accelerator_resource(self) -> str:
        """The resource name a pod requests, or the empty string for a machine without accelerators."""
        return ACCELERATOR_RESOURCES[self.accelerator_kind]


@dataclass(frozen=True)
class MachineDesired:
    """What the ``machine`` noun is given: declared numbers a node can be asked about. 0 or empty: not checked."""

    cpus: int = 0
    memory_gib: int = 0
    accelerator_kind: str = ""
    accelerator_count: int = 0
    rdma_ports: int = 0
    platform: str = "bare_metal"
    python_min: str = ""


def parse(spec: Mapping[str, Any]) -> MachineDesired:
    """Read the JSON form: the names of MachineDesired's fields, each of which may be left out."""
    default = MachineDesired()
    return MachineDesired(
        int(spec.get("cpus", 0)),
        int(spec.get("memory_gib", 0)),
        spec.get("accelerator_kind", ""),
        int(spec.get("accelerator_count", 0)),
        int(spec.get("rdma_ports", 0)),
        spec.get("platform", default.platform),
        spec.get("python_min", ""),
    )

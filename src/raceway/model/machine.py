"""What the inventory declares one machine to be; labels, capacities and topology are all derived from this.

It deliberately holds nothing read from a node: facts are compared with the declaration, they never become it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Mapping, Tuple

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

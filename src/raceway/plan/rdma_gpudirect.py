"""The way a NIC reaches GPU memory: DMA-BUF where kernel and driver can, else nvidia-peermem, and why which.

DMA-BUF needs NVIDIA's open kernel modules, a kernel of 5.12 or newer and its PCI_P2PDMA. nvidia-peermem needs the
vendor's ib_core (DOCA, OFED). It deliberately loads the module only where DMA-BUF is out: two ways at once hide which
of them a job took.
"""

from __future__ import annotations

from typing import List

from ..facts.rdma import RdmaFacts
from ..facts.rdma_gpudirect import SYMBOL, GpuFacts, at_least
from ..model.plan import SAFE, Noop, Refusal, Step
from ..model.rdma import AUTO, DMABUF, NONE, PEERMEM, RdmaDesired
from .dropin import render
from .rdma_part import Outcome, Part, own_file, part

TARGET = KEY = "gpudirect"
LOAD_FILE = "/etc/modules-load.d/raceway-gpudirect.conf"
OLDEST = (5, 12)
WHY = "a job without a way to GPU memory copies through the host's, at a fraction of the speed"


def gpudirect(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of the chosen way."""
    wanted, gpu = desired.gpudirect, facts.gpu
    if wanted == NONE:
        return part([], (), own_file(LOAD_FILE, "", facts, WHY))
    if gpu.vendor != "nvidia" or not gpu.driver:
        return part([_elsewhere(gpu)], (), own_file(LOAD_FILE, "", facts, WHY))
    against = against_dmabuf(gpu)
    if wanted == DMABUF or (wanted == AUTO and not against):
        return part([_dmabuf(against, gpu)], (), own_file(LOAD_FILE, "", facts, WHY))
    rows = _peermem(wanted, against, gpu)
    refused = any(isinstance(row, Refusal) for row in rows)
    load = "" if refused else render("rdma", ["nvidia_peermem"])
    return part(rows, [KEY], own_file(LOAD_FILE, load, facts, WHY))


def against_dmabuf(gpu: GpuFacts) -> List[str]:
    """Return what speaks against DMA-BUF; a thing that cannot be seen does not."""
    rows = []
    if not gpu.open:
        rows.append(f"driver {gpu.driver} runs with the closed kernel modules")
    if at_least(gpu.kernel, OLDEST) is False:
        rows.append(f"kernel {gpu.kernel} is older than {OLDEST[0]}.{OLDEST[1]}")
    if gpu.p2pdma is False:
        rows.append(f"kernel {gpu.kernel} was built without PCI_P2PDMA")
    return rows


def _elsewhere(gpu: GpuFacts) -> Outcome:
    if not gpu.vendor:
        return Noop(TARGET, "no accelerator is here")
    if gpu.vendor != "nvidia":
        return Noop(TARGET, f"the driver of {gpu.vendor} accelerators brings its own way (DMA-BUF or its peer client)")
    return Noop(TARGET, "the NVIDIA driver is not loaded: the way is chosen once it is")


def _dmabuf(against: List[str], gpu: GpuFacts) -> Outcome:
    if against:
        act = "set rdma_gpudirect to auto or peermem, or install the open kernel modules on a newer kernel"
        return Refusal(TARGET, f"DMA-BUF is declared and cannot be had: {'; '.join(against)}", act)
    seen = "" if gpu.p2pdma else "; PCI_P2PDMA cannot be seen without /boot/config"
    return Noop(TARGET, f"DMA-BUF: open modules {gpu.driver} on kernel {gpu.kernel}{seen}")


def _peermem(wanted: str, against: List[str], gpu: GpuFacts) -> List[Outcome]:
    reason = "declared" if wanted == PEERMEM else f"no DMA-BUF: {'; '.join(against)}"
    if gpu.peer_api is False:
        act = "install DOCA or OFED and then the NVIDIA driver anew, or use its open modules (DMA-BUF)"
        return [Refusal(TARGET, f"nvidia-peermem ({reason}) needs {SYMBOL}, which this ib_core does not have", act)]
    if gpu.peermem:
        return [Noop(TARGET, f"nvidia-peermem is loaded ({reason})")]
    args = {"key": KEY, "before": "absent"}
    undo = "rmmod nvidia_peermem"
    what = "load nvidia_peermem"
    return [Step("rdma_peermem", TARGET, what, f"{reason}; {WHY}", SAFE, undo, "absent", "loaded", args)]

"""Reads and writes the type of service that connections through the RDMA connection manager start with.

The kernel shows it in configfs only below a folder one makes: ``mkdir rdma_cm/DEVICE`` shows the device's values, and
``rmdir`` hides them again, whatever they are (``cma_configfs.c``). It deliberately leaves the folder as it found it.
It does not concern NCCL, which sets its own traffic class.
"""

from __future__ import annotations

from typing import Optional, Tuple

from ..host import Host

CONFIGFS = "/sys/kernel/config/rdma_cm"
INFINIBAND = "/sys/class/infiniband"
TOS = "default_roce_tos"


def devices_of(host: Host, interface: str) -> Tuple[str, ...]:
    """Return the RDMA devices whose first port is an interface, soft-RoCE ones included."""
    found = []
    for device in host.listdir(INFINIBAND):
        bound = (host.read(f"{INFINIBAND}/{device}/ports/1/gid_attrs/ndevs/0") or "").strip()
        if bound == interface or host.exists(f"/sys/class/net/{interface}/device/infiniband/{device}"):
            found.append(device)
    return tuple(found)


def read_tos(host: Host, device: str) -> Optional[int]:
    """Return the byte, or None where the connection manager is not loaded or the device is not one of its own."""
    text = _within(host, device, None)
    return int(text, 0) if text is not None and text.strip().isdigit() else None


def write_tos(host: Host, device: str, tos: int) -> None:
    """Set the byte; OSError with the kernel's reason."""
    _within(host, device, tos)


def _within(host: Host, device: str, tos: Optional[int]) -> Optional[str]:
    if not host.exists(CONFIGFS):
        return None
    folder = f"{CONFIGFS}/{device}"
    made = not host.exists(folder)
    if made:
        try:
            host.mkdir(folder)
        except OSError:
            return None
    try:
        path = f"{folder}/ports/1/{TOS}"
        if tos is not None:
            host.poke(path, f"{tos}\n")
        return host.read(path)
    finally:
        if made:
            host.rmdir(folder)

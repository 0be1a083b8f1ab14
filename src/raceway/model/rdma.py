"""The RDMA side of a node as declared: which devices, their names and firmware, and what the kernel does with them.

A device is selected by PCI address or node GUID and has a rail; IPoIB interfaces are declared by that rail. It
deliberately takes no device name as a selector: names are what is declared here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

from .selector import GUID, PCI

SELECTORS = (PCI, GUID)
SHARED, EXCLUSIVE = "shared", "exclusive"
# ib_core's module option of the same meaning, which alone outlives a boot: 1 is shared (kernel, ib_core).
NETNS_OPTION: Dict[str, str] = {SHARED: "1", EXCLUSIVE: "0"}
# rdma_rename's words (rdma-core, udev/rdma_rename.c); fallback tries on-board index, then PCI place, then the kernel's.
NAMING: Dict[str, str] = {
    "fallback": "NAME_FALLBACK",
    "kernel": "NAME_KERNEL",
    "pci": "NAME_PCI",
    "guid": "NAME_GUID",
    "onboard": "NAME_ONBOARD",
}
# LINK_TYPE of mlxconfig, and what the kernel calls the same in ports/N/link_layer.
LINK_TYPES: Dict[str, Tuple[int, str]] = {"infiniband": (1, "InfiniBand"), "ethernet": (2, "Ethernet")}
# INTERNAL_CPU_MODEL and INTERNAL_CPU_OFFLOAD_ENGINE of a BlueField: both must be as here.
DPU_MODES: Dict[str, Tuple[Tuple[str, int], ...]] = {
    "dpu": (("INTERNAL_CPU_MODEL", 1), ("INTERNAL_CPU_OFFLOAD_ENGINE", 0)),
    "nic": (("INTERNAL_CPU_OFFLOAD_ENGINE", 1),),
    "separated": (("INTERNAL_CPU_MODEL", 0),),
}
READ_REQUESTS: Dict[int, int] = {128: 0, 256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}  # bytes → bits 14:12 of DevCtl
DATAGRAM, CONNECTED = "datagram", "connected"
LEAVE, CHECK, CLEAR, BOOT = "leave", "check", "clear", "boot"
ACS = (LEAVE, CHECK, CLEAR, BOOT)
# For every bridge: a vendor and a device of 0 match all (kernel-parameters.txt, pci=disable_acs_redir; since 4.20).
ACS_ARGUMENT = "pci=disable_acs_redir=pci:0:0"
REPORT, CARD = "report", "card"
RESETS = (REPORT, CARD)
AUTO, DMABUF, PEERMEM, NONE = "auto", "dmabuf", "peermem", "none"
GPUDIRECT = (AUTO, DMABUF, PEERMEM, NONE)
MANAGED, OPENSM = "managed", "opensm"
SUBNET_MANAGERS = (MANAGED, OPENSM)


@dataclass(frozen=True)
class Device:
    """One declared device: ``by`` is one of SELECTORS, ``value`` in lower case as sysfs has it.

    ``name``: the name it is to have; ``link_type``: a key of LINK_TYPES; ``dpu_mode``: a key of DPU_MODES; empty texts
    leave the thing as it is. ``firmware``: setting → number, the node's and the device's own together.
    """

    by: str
    value: str
    rail: int = 0
    name: str = ""
    link_type: str = ""
    dpu_mode: str = ""
    firmware: Tuple[Tuple[str, int], ...] = ()

    @property
    def label(self) -> str:
        """How messages and the ledger call it."""
        return f"{self.by} {self.value}"


@dataclass(frozen=True)
class Ipoib:
    """An IPoIB interface by the rail of its device. ``mtu``: bytes, 0 leaves it; ``pkey``: of a child interface."""

    rail: int
    port: int = 1
    mode: str = ""
    mtu: int = 0
    pkey: str = ""

    @property
    def label(self) -> str:
        """How messages and the ledger call it."""
        return f"ipoib rail {self.rail} port {self.port}" + (f" pkey {self.pkey}" if self.pkey else "")


@dataclass(frozen=True)
class RdmaDesired:
    """What the ``rdma`` noun is given; without anything declared, what was taken over is given back.

    ``naming``: a key of NAMING; ``netns``: SHARED or EXCLUSIVE; ``modules``: what the kernel role loads at boot;
    ``memlock``: units whose processes may lock any amount of memory; ``acs``, ``reset``, ``gpudirect`` and
    ``subnet_manager``: one of the tuples above; ``read_request``: bytes, 0 leaves it; ``packages``: what the same role
    installs; ``boot``: this is the run of the boot unit, which sets what the kernel forgets and nothing else.
    """

    devices: Tuple[Device, ...] = ()
    naming: str = ""
    netns: str = ""
    modules: Tuple[str, ...] = ()
    memlock: Tuple[str, ...] = ()
    ipoib: Tuple[Ipoib, ...] = ()
    acs: str = LEAVE
    read_request: int = 0
    gpudirect: str = NONE
    subnet_manager: str = ""
    opensm: Mapping[str, str] = field(default_factory=dict)
    partitions: Tuple[str, ...] = ()
    reset: str = REPORT
    packages: Tuple[str, ...] = ()
    persist: bool = True
    boot: bool = False
    platform: str = "bare_metal"

    def of_rail(self, rail: int) -> Tuple[Device, ...]:
        """Return the devices of a rail: one, unless the declaration is wrong."""
        return tuple(device for device in self.devices if device.rail == rail)

    @property
    def asks_firmware(self) -> bool:
        """Whether any device's firmware settings have to be read."""
        return any(device.firmware or device.link_type or device.dpu_mode for device in self.devices)


def parse(spec: Mapping[str, Any]) -> RdmaDesired:
    """Read the JSON form: the names of RdmaDesired's fields, each of which may be left out."""
    plain = ("naming", "netns", "acs", "gpudirect", "subnet_manager", "reset", "platform")
    default = RdmaDesired()
    return RdmaDesired(
        devices=tuple(_device(row) for row in spec.get("devices", ())),
        modules=tuple(spec.get("modules", ())),
        memlock=tuple(spec.get("memlock", ())),
        ipoib=tuple(_ipoib(row) for row in spec.get("ipoib", ())),
        read_request=int(spec.get("read_request", 0)),
        opensm={str(name): str(value) for name, value in spec.get("opensm", {}).items()},
        partitions=tuple(spec.get("partitions", ())),
        packages=tuple(spec.get("packages", ())),
        persist=bool(spec.get("persist", True)),
        boot=bool(spec.get("boot", False)),
        **{name: str(spec.get(name, getattr(default, name))) for name in plain},
    )


def _device(row: Mapping[str, Any]) -> Device:
    by = next(name for name in SELECTORS if row.get(name))
    return Device(
        by=by,
        value=str(row[by]).lower(),
        rail=int(row.get("rail", 0)),
        name=str(row.get("name") or ""),
        link_type=str(row.get("link_type") or ""),
        dpu_mode=str(row.get("dpu_mode") or ""),
        firmware=tuple(sorted((str(name), int(value)) for name, value in (row.get("firmware") or {}).items())),
    )


def _ipoib(row: Mapping[str, Any]) -> Ipoib:
    return Ipoib(
        rail=int(row["rail"]),
        port=int(row.get("port") or 1),
        mode=str(row.get("mode") or ""),
        mtu=int(row.get("mtu") or 0),
        pkey=str(row.get("pkey") or "").lower(),
    )

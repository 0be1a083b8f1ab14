"""What a node shows of its RDMA side, as far as the rdma declaration looks at it.

What could not be read is None or empty and equals nothing that is declared; it is never taken for off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from .mlxconfig import Card
from .rdma_gpudirect import GpuFacts

INFINIBAND = "InfiniBand"
# What ib_core is: as a module, inside the kernel, or not there.
LOADED, INSIDE, ABSENT = "loaded", "inside", "absent"


@dataclass(frozen=True)
class PortState:
    """One port: ``link_layer`` InfiniBand or Ethernet; ``state`` such as ACTIVE; ``sm_lid`` 0 without a manager."""

    port: int
    link_layer: str = ""
    state: str = ""
    sm_lid: Optional[int] = None


@dataclass(frozen=True)
class DeviceFacts:
    """One device. ``pci``: empty for a software device; ``netdevs``: interfaces of its card, whichever the function.

    ``firmware``: what the tool printed of its card, None where it was not asked; ``firmware_problem``: why that is not
    all of it.
    """

    name: str
    pci: str = ""
    guid: str = ""
    virtual_function: bool = False
    ports: Tuple[PortState, ...] = ()
    netdevs: Tuple[str, ...] = ()
    firmware: Optional[Card] = None
    firmware_problem: str = ""


@dataclass(frozen=True)
class FunctionFacts:
    """One PCI function: ``acs`` in the words of ``facts/lspci.py``, ``acs_bits`` those that are on."""

    acs: str = "unknown"
    acs_bits: Tuple[str, ...] = ()
    read_request: Optional[int] = None


@dataclass(frozen=True)
class BusFacts:
    """``above``: bridges above an address, from the root; ``problem``: why lspci did not tell all.

    ``acs_argument``: the running kernel was told on its command line to leave redirection off.
    """

    functions: Mapping[str, FunctionFacts] = field(default_factory=dict)
    above: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    accelerators: Tuple[str, ...] = ()
    acs_argument: bool = False
    problem: str = ""


@dataclass(frozen=True)
class UnitMemlock:
    """``file``: text of our drop-in; ``pid``: main process, 0 where it does not run; ``soft``: its limit in bytes."""

    exists: bool = False
    file: Optional[str] = None
    pid: int = 0
    soft: str = ""


@dataclass(frozen=True)
class IpoibFacts:
    """One IPoIB interface: ``parent`` is the interface a child of another partition hangs on, empty for none."""

    name: str
    pci: str = ""
    port: int = 1
    mode: str = ""
    mtu: Optional[int] = None
    pkey: str = ""
    parent: str = ""


@dataclass(frozen=True)
class RdmaFacts:
    """``devices``: by label of a declared or owned device; ``present``: all of them, for the reader of a refusal.

    ``files``: path → text of every file that may be ours; ``owned``: key → what was found; ``owned_files``: paths.
    ``namespaces``: processes that hold network namespaces of their own; ``carriers``: interface → what passes over it
    and must not break, with ``carriers_problem`` where that is not known; ``users``: modules that use the card's
    driver; ``opensm``: whether one runs, None where systemd does not answer; ``opensm_enabled``: its state at boot in
    systemd's word; ``missing_packages``: of those the role installs.
    """

    devices: Mapping[str, DeviceFacts] = field(default_factory=dict)
    present: Tuple[str, ...] = ()
    files: Mapping[str, Optional[str]] = field(default_factory=dict)
    owned: Mapping[str, Any] = field(default_factory=dict)
    owned_files: Mapping[str, Any] = field(default_factory=dict)
    ib_core: str = ABSENT
    netns: str = ""
    netns_problem: str = ""
    namespaces: Tuple[str, ...] = ()
    memlock: Mapping[str, UnitMemlock] = field(default_factory=dict)
    bus: BusFacts = field(default_factory=BusFacts)
    gpu: GpuFacts = field(default_factory=GpuFacts)
    carriers: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    carriers_problem: str = ""
    users: Tuple[str, ...] = ()
    opensm: Optional[bool] = None
    opensm_enabled: str = ""
    ipoib: Tuple[IpoibFacts, ...] = ()
    missing_packages: Tuple[str, ...] = ()

    def carries(self, device: DeviceFacts) -> Tuple[str, ...]:
        """Return what a device's interfaces carry that must not break, each with the interface's name."""
        return tuple(f"{name} carries {what}" for name in device.netdevs for what in self.carriers.get(name, ()))

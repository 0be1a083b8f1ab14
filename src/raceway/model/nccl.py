"""The collective communication library of a node as declared: which library, which rails, which of its choices.

One declaration serves ``/etc/nccl.conf`` on the node and the environment of jobs. It deliberately holds no traffic
class and no device list: the first follows from the one ``Qos``, the second from the rails and what a node shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from .qos import Qos
from .qos import parse as parse_qos

NOT_GIVEN = -1  # NCCL's own word for "choose yourself" of an index, a rail and a plane
SELECTORS = ("pci", "guid", "device")
CROSS_NIC = {"never": "0", "allow": "1", "auto": "2"}
ADDRESS_FAMILIES = {"ipv4": "AF_INET", "ipv6": "AF_INET6"}
# Since which NCCL a setting is there (NVIDIA's user guide, env.rst). Rails and planes in the device list are in 2.30's
# guide and in none that we have read before it.
SINCE_DYNAMIC_GID = (2, 21, 0)
SINCE_FIFO_TC = (2, 22, 3)
SINCE_RAIL_TAGS = (2, 30, 0)
SINCE_FAILOVER = (2, 30, 0)
MOST_DEVICES = 32  # MAX_IB_DEVS of NCCL
QPS = range(1, 129)
# Fields of a declaration that its JSON form holds as they are.
PLAIN = (
    *("version", "cross_nic", "qps_per_connection", "adaptive_routing", "pxn", "sharp", "net_plugin"),
    *("topology_file", "gid_index", "address_family", "address_range", "platform", "sharp_plugin", "port_failover"),
)
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:[-+~].*)?")


@dataclass(frozen=True)
class Library:
    """A library by the kind of accelerator. ``conf``: the file it reads at start, empty where it reads none."""

    name: str
    conf: str = ""


# RCCL reads the variables of NCCL under their names, but its own files (ROCm's RCCL environment variables).
LIBRARIES: Dict[str, Library] = {
    "nvidia": Library("NCCL", "/etc/nccl.conf"),
    "amd": Library("RCCL", "/etc/rccl.conf"),
    "ascend": Library("HCCL"),
}


@dataclass(frozen=True)
class Rail:
    """One port of the training fabric: ``by`` is one of SELECTORS, ``value`` in lower case as sysfs has it.

    ``gid_index``: an override of the declaration's for this device, NOT_GIVEN for none.
    """

    rail: int
    by: str
    value: str
    port: int = 1
    plane: int = NOT_GIVEN
    gid_index: int = NOT_GIVEN

    @property
    def label(self) -> str:
        """How messages call it."""
        plane = "" if self.plane == NOT_GIVEN else f" plane {self.plane}"
        return f"rail {self.rail}{plane}"


@dataclass(frozen=True)
class Declaration:
    """What one library is to use. ``kind``: a key of LIBRARIES; ``version``: the library's, as text.

    ``sockets``: interface names for bootstrap and sockets, or names to leave out, each with a leading ``^``.
    ``cross_nic``: a key of CROSS_NIC or empty; ``qps_per_connection`` 0, the optional bools None and empty texts:
    the library's own choice. ``sharp_plugin``: path of SHARP's plugin on the node, empty where jobs bring it along.
    ``address_range``: CIDR of the addresses a GID is chosen from. ``dpu``: PCI addresses and GUIDs of devices behind a
    DPU that works as one. ``extra``: further variables as they are.
    """

    kind: str
    version: str = ""
    rails: Tuple[Rail, ...] = ()
    sockets: Tuple[str, ...] = ()
    cross_nic: str = ""
    qps_per_connection: int = 0
    adaptive_routing: Optional[bool] = None
    pxn: Optional[bool] = None
    sharp: bool = False
    sharp_plugin: str = ""
    port_failover: Optional[bool] = None
    net_plugin: str = ""
    topology_file: str = ""
    gid_index: int = NOT_GIVEN
    address_family: str = "ipv4"
    address_range: str = ""
    dpu: Tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    qos: Qos = field(default_factory=Qos)
    platform: str = "bare_metal"

    def gid_of(self, rail: Optional[Rail]) -> int:
        """Return the GID index declared for a rail's device, NOT_GIVEN where the library shall choose."""
        return rail.gid_index if rail and rail.gid_index != NOT_GIVEN else self.gid_index

    def since(self, version: Tuple[int, int, int]) -> bool:
        """Tell whether the declared library is of this version or newer."""
        return (version_of(self.version) or (0, 0, 0)) >= version


@dataclass(frozen=True)
class Pin:
    """A package that must be installed in one version, or in any where it is empty."""

    name: str
    version: str = ""


@dataclass(frozen=True)
class NcclDesired:
    """What the ``nccl`` noun is given. Without a declaration, what was written is given back."""

    declaration: Optional[Declaration] = None
    pins: Tuple[Pin, ...] = ()


def parse(spec: Mapping[str, Any]) -> NcclDesired:
    """Read ``{"declaration": {…} or null, "packages": [{"name", "version"}], "platform"}``."""
    given = spec.get("declaration")
    pins = tuple(Pin(row["name"], str(row.get("version", ""))) for row in spec.get("packages", ()))
    platform = spec.get("platform", "bare_metal")
    return NcclDesired(parse_declaration({"platform": platform, **given}) if given else None, pins)


def parse_declaration(spec: Mapping[str, Any]) -> Declaration:
    """Read the fields of Declaration by name; a rail is ``{"rail", "pci" or "guid" or "device", "port", "plane"}``."""
    given = {name: spec[name] for name in PLAIN if name in spec}
    return Declaration(
        kind=spec.get("kind", ""),
        rails=tuple(_rail(row) for row in spec.get("rails", ())),
        sockets=tuple(spec.get("sockets", ())),
        dpu=tuple(spec.get("dpu", ())),
        extra={str(name): str(value) for name, value in spec.get("extra", {}).items()},
        qos=parse_qos(spec.get("qos", {})),
        **given,
    )


def _rail(row: Mapping[str, Any]) -> Rail:
    by = next((name for name in SELECTORS if row.get(name)), "")
    value = str(row[by]) if by else ""
    return Rail(
        rail=int(row["rail"]),
        by=by,
        value=value if by == "device" else value.lower(),
        port=int(row.get("port", 1)),
        plane=int(row.get("plane", NOT_GIVEN)),
        gid_index=int(row.get("gid_index", NOT_GIVEN)),
    )


def version_of(text: str) -> Optional[Tuple[int, int, int]]:
    """Return a version as numbers, a package's revision left out; None for a text that is none.

    >>> version_of("2.27.5-1+cuda12.9"), version_of("2.30"), version_of("latest")
    ((2, 27, 5), (2, 30, 0), None)
    """
    found = _VERSION.fullmatch(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None

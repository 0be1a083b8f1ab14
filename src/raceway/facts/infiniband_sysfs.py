"""What /sys/class/infiniband holds: devices, ports, GIDs, counters. This is the source that needs no tool at all.

Three files and what stands in them::

    /sys/class/infiniband/mlx5_0/ports/1/state                4: ACTIVE
    /sys/class/infiniband/mlx5_0/ports/1/rate                 400 Gb/sec (4X NDR)
    /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3    RoCE v2

An entry of the GID table that is not in use cannot be read (EINVAL), so a missing type means an unused entry.
It deliberately reads no file: ``build`` gets paths with their texts, ``parse`` gets what ``grep -R .`` prints of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Tuple

from .gid import Gid, address_of, best, kind_of, whole
from .natural import natural
from .reading import decimal, guid, joined, lines, not_output_of, number, quote

CLASS = "/sys/class/infiniband"
_PCI = re.compile(r"[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_GID_FILE = re.compile(r"/ports/\d+/gids/\d+$")
_PASTED = re.compile(rf"^{CLASS}/([^\s:]+):(.*)$")
_UNREADABLE = re.compile(rf"^grep: {CLASS}/(\S+): (.*)$")


@dataclass(frozen=True)
class IbPort:
    """One port. ``state``: ACTIVE, DOWN, …; ``phys_state``: LinkUp, Polling, …; counters None where not a number.

    ``netdev``: the interface below it, which carries the first GID (others may be of VLANs); empty for InfiniBand.
    """

    device: str
    port: int
    link_layer: str = ""
    state: str = ""
    phys_state: str = ""
    rate_gbps: Optional[float] = None
    lid: Optional[int] = None
    sm_lid: Optional[int] = None
    netdev: str = ""
    gids: Tuple[Gid, ...] = ()
    counters: Mapping[str, Optional[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The port as ``device/port``."""
        return f"{self.device}/{self.port}"

    @property
    def up(self) -> bool:
        """Whether the port carries traffic."""
        return (self.state, self.phys_state) == ("ACTIVE", "LinkUp")

    @property
    def best_gid(self) -> Optional[Gid]:
        """The GID to send from by the usual choice, None where there is none."""
        return best(self.gids)


@dataclass(frozen=True)
class IbDevice:
    """One device. ``pci``: its address, empty for a software device; ``numa_node``: None where the kernel knows none.

    ``netdevs``: all interfaces on the same PCI function. ``virtual_function``: a share of a card.
    """

    name: str
    node_guid: str = ""
    system_guid: str = ""
    firmware: str = ""
    board_id: str = ""
    kind: str = ""
    pci: str = ""
    numa_node: Optional[int] = None
    virtual_function: bool = False
    netdevs: Tuple[str, ...] = ()
    ports: Tuple[IbPort, ...] = ()


@dataclass(frozen=True)
class InfinibandFacts:
    """Devices in natural order. No devices and no problem: the kernel has no RDMA device."""

    devices: Tuple[IbDevice, ...] = ()
    problem: str = ""

    @property
    def ports(self) -> Tuple[IbPort, ...]:
        """All ports of all devices."""
        return tuple(port for device in self.devices for port in device.ports)


def parse(text: str) -> InfinibandFacts:
    """Return the facts of pasted lines ``/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE``."""
    tree: Dict[str, Optional[str]] = {}
    problems: List[str] = []
    for line in lines(text):
        found, unread = _PASTED.match(line.strip()), _UNREADABLE.match(line.strip())
        if found:
            path = f"{CLASS}/{found[1]}"
            tree[path] = f"{tree[path]}\n{found[2]}" if tree.get(path) else found[2]
        elif unread:
            tree.setdefault(f"{CLASS}/{unread[1]}", None)
        else:
            problems.append(f"not understood: {quote(line)}")
    if not tree:
        return InfinibandFacts(problem=not_output_of(f"grep -R . {CLASS}", text))
    facts = build(tree)
    return InfinibandFacts(facts.devices, joined(facts.problem, *problems))


def build(tree: Mapping[str, Optional[str]]) -> InfinibandFacts:
    """Return the facts of a tree: absolute path → text, None where the kernel refuses to read.

    Beside the kernel's files it may hold, of each device, ``device`` (where the link leads), ``device/physfn`` (any
    text: it is there) and ``device/net`` (names, one a line).
    """
    below: Dict[str, Dict[str, Optional[str]]] = {}
    for path, text in tree.items():
        if path.startswith(f"{CLASS}/"):
            name, _, rest = path[len(CLASS) + 1 :].partition("/")
            below.setdefault(name, {})[rest] = text
    devices = tuple(_device(name, below[name]) for name in sorted(below, key=natural))
    lame = [f"{device.name}: no port is shown" for device in devices if not device.ports]
    lame += [f"{port.name}: state cannot be read" for one in devices for port in one.ports if not port.state]
    cut = [path for path, text in tree.items() if _GID_FILE.search(path) and text and not whole(text)]
    lame += [f"{path[len(CLASS) + 1 :]}: {quote(tree[path] or '')} is cut off or no GID" for path in cut]
    return InfinibandFacts(devices, joined(*lame))


def _device(name: str, files: Mapping[str, Optional[str]]) -> IbDevice:
    numa = number(_text(files, "device/numa_node"))
    # A pasted tree has no links, but the device tells its own address.
    slot = re.search(r"^PCI_SLOT_NAME=(\S+)$", _text(files, "device/uevent"), re.MULTILINE)
    target = slot[1] if slot else _text(files, "device").rsplit("/", 1)[-1]
    netdevs = tuple(sorted(_text(files, "device/net").split(), key=natural))
    indexes = sorted({int(path.split("/")[1]) for path in files if re.match(r"ports/\d+/", path)})
    return IbDevice(
        name,
        guid(_text(files, "node_guid")),
        guid(_text(files, "sys_image_guid")),
        _text(files, "fw_ver"),
        _text(files, "board_id"),
        _text(files, "hca_type"),
        target.lower() if _PCI.fullmatch(target) else "",
        None if numa is None or numa < 0 else numa,  # -1 is the kernel's word for unknown
        "device/physfn" in files,
        netdevs,
        tuple(_port(name, index, _part(files, f"ports/{index}/"), netdevs) for index in indexes),
    )


def _port(device: str, index: int, files: Mapping[str, Optional[str]], netdevs: Tuple[str, ...]) -> IbPort:
    layer = _text(files, "link_layer")
    gids = _gids(files, layer)
    # A port that is down may have no GID; with one interface on the card there is no doubt all the same.
    bound = [gid.netdev for gid in gids if gid.netdev] + list(netdevs if len(netdevs) == 1 else ())
    counters = {**_part(files, "counters/"), **_part(files, "hw_counters/")}
    return IbPort(
        device,
        index,
        layer,
        _text(files, "state").partition(": ")[2],
        _text(files, "phys_state").partition(": ")[2],
        decimal(_text(files, "rate").split(" ")[0]),
        number(_text(files, "lid")),
        number(_text(files, "sm_lid")),
        bound[0] if bound and layer != "InfiniBand" else "",
        gids,
        {name: number(text) for name, text in sorted(counters.items()) if name != "lifespan"},
    )


def _gids(files: Mapping[str, Optional[str]], layer: str) -> Tuple[Gid, ...]:
    found = []
    for name, text in _part(files, "gids/").items():
        address = address_of(text or "")
        # An unused entry is all zeroes, and its type cannot be read.
        if address and whole(text or "") and name.isdigit():
            kind = kind_of(files.get(f"gid_attrs/types/{name}"), layer)
            found.append(Gid(int(name), address, kind, _text(files, f"gid_attrs/ndevs/{name}")))
    return tuple(sorted(found, key=lambda gid: gid.index))


def _part(files: Mapping[str, Optional[str]], prefix: str) -> Dict[str, Optional[str]]:
    return {path[len(prefix) :]: text for path, text in files.items() if path.startswith(prefix)}


def _text(files: Mapping[str, Optional[str]], path: str) -> str:
    return (files.get(path) or "").strip()

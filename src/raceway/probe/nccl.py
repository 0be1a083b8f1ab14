"""Reads RDMA ports from sysfs, the libraries' files, and the versions of pinned packages.

It deliberately runs no RDMA tool: ``ibstat`` answers nothing and exits 0 where there is no device, sysfs is plain.
"""

from __future__ import annotations

import posixpath
from typing import Dict, Optional, Sequence, Tuple

from ..facts.gid import Gid
from ..facts.natural import natural
from ..facts.nccl import (
    ETHERNET,
    NcclFacts,
    RdmaPort,
    parse_gid,
    parse_pci,
    parse_state,
    parse_versions_dpkg,
    parse_versions_rpm,
)
from ..facts.package import APT
from ..host import Host, Ledger
from ..model.nccl import LIBRARIES, NOT_GIVEN, Declaration, NcclDesired
from ..plan.dropin import BOOK
from .package import DPKG_STATUS, find_manager

INFINIBAND = "/sys/class/infiniband"
# Tables have up to 256 entries, filled from the start: two for each address of a port. A pinned one is read besides.
GIDS_READ = 16
# Where HPC-X, DOCA-Host and distributions put the plugin that NCCL loads as libnccl-net.so.
PLUGINS = (
    "/opt/hpcx*/nccl_rdma_sharp_plugin/lib/libnccl-net*.so",
    "/opt/mellanox/*/lib/libnccl-net*.so",
    "/usr/lib*/libnccl-net*.so",
    "/usr/lib/*-linux-gnu/libnccl-net*.so",
    "/usr/local/lib/libnccl-net*.so",
)
OPENSM = ("systemctl", "is-active", "opensm.service")
CONFS = tuple(library.conf for library in LIBRARIES.values() if library.conf)


def home_conf(conf: str) -> str:
    """Return the file of the administrator's own that is read before a library's file, and outranks it."""
    return f"/root/.{posixpath.basename(conf)}"


def probe(host: Host, desired: NcclDesired, ledger: Ledger) -> NcclFacts:
    """Return the facts the nccl planner compares with ``desired``."""
    owned = {path: row for path, row in ledger.owned(BOOK).items() if path in CONFS}
    declaration = desired.declaration
    if declaration is None and not owned:
        return NcclFacts()
    paths = [*CONFS, *(home_conf(path) for path in CONFS)]
    texts = {path: host.read(path) for path in paths}
    manager, versions = _versions(host, [pin.name for pin in desired.pins if pin.version])
    return NcclFacts(
        ports=read_ports(host, indexes(declaration)) if declaration else (),
        files={path: text for path, text in texts.items() if text is not None},
        owned=owned,
        versions=versions,
        manager=manager,
        topology=bool(declaration and declaration.topology_file and host.exists(declaration.topology_file)),
        sharp_plugins=_sharp_plugins(host, declaration) if declaration and declaration.sharp else (),
        opensm=bool(declaration and declaration.sharp) and host.run(OPENSM).out.strip() == "active",
    )


def indexes(declaration: Optional[Declaration]) -> Tuple[int, ...]:
    """Return every GID index a declaration names: entries that are read wherever they stand in a table."""
    if declaration is None:
        return ()
    found = {declaration.gid_of(rail) for rail in (None, *declaration.rails)}
    return tuple(sorted(found - {NOT_GIVEN}))


def read_ports(host: Host, gids: Sequence[int] = ()) -> Tuple[RdmaPort, ...]:
    """Return every port of every RDMA device in natural order; ``gids``: entries to read beyond the first ones."""
    rows = []
    for device in sorted(host.listdir(INFINIBAND), key=natural):
        folder = f"{INFINIBAND}/{device}"
        pci = parse_pci(host.readlink(f"{folder}/device") or "")
        guid = (host.read(f"{folder}/node_guid") or "").strip().lower()
        for number in sorted(host.listdir(f"{folder}/ports"), key=natural):
            port = f"{folder}/ports/{number}"
            layer = (host.read(f"{port}/link_layer") or "").strip()
            state = parse_state(host.read(f"{port}/state") or "")
            table = _gids(host, port, gids) if layer == ETHERNET else None
            rows.append(RdmaPort(device, pci, guid, int(number), layer, state, table))
    return tuple(rows)


def _sharp_plugins(host: Host, declaration: Declaration) -> Tuple[str, ...]:
    found = [path for pattern in PLUGINS for path in host.glob(pattern)]
    found += [declaration.sharp_plugin] if declaration.sharp_plugin and host.exists(declaration.sharp_plugin) else []
    return tuple(dict.fromkeys(found))


def _gids(host: Host, port: str, more: Sequence[int]) -> Tuple[Gid, ...]:
    found = []
    for index in sorted({*range(GIDS_READ), *more}):
        address = host.read(f"{port}/gids/{index}") or ""
        # The kind of an empty entry cannot be read: the kernel answers EINVAL, which is no error here.
        gid = parse_gid(index, address, host.read(f"{port}/gid_attrs/types/{index}")) if address else None
        if gid:
            found.append(gid)
    return tuple(found)


def _versions(host: Host, names: Sequence[str]) -> Tuple[str, Dict[str, str]]:
    """Return the package manager and the installed versions; nothing is asked where nothing is pinned."""
    if not names:
        return "", {}
    manager = find_manager(host)
    if manager == APT:
        return manager, parse_versions_dpkg(host.read(DPKG_STATUS) or "", names)
    if not manager:
        return "", {}
    done = host.run(["rpm", "-q", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\\n", *names])
    return manager, parse_versions_rpm(done.out)

"""Reads IPoIB interfaces from sysfs: which PCI function and port they belong to, mode, MTU and partition."""

from __future__ import annotations

import posixpath
from typing import List, Tuple

from ..facts.rdma import IpoibFacts
from ..facts.reading import number
from ..host import Host

NET = "/sys/class/net"
INFINIBAND = "32"  # ARPHRD_INFINIBAND


def probe(host: Host) -> Tuple[IpoibFacts, ...]:
    """Return every IPoIB interface of the node, children of other partitions included."""
    found: List[IpoibFacts] = []
    for name in host.listdir(NET):
        if _text(host, name, "type") != INFINIBAND:
            continue
        device = host.readlink(f"{NET}/{name}/device") or ""
        found.append(
            IpoibFacts(
                name=name,
                pci=posixpath.basename(device).lower(),
                port=(number(_text(host, name, "dev_port")) or 0) + 1,  # dev_port counts from 0
                mode=_text(host, name, "mode"),
                mtu=number(_text(host, name, "mtu")),
                pkey=_text(host, name, "pkey").lower(),
                parent=_text(host, name, "parent"),
            )
        )
    return tuple(found)


def _text(host: Host, name: str, leaf: str) -> str:
    return (host.read(f"{NET}/{name}/{leaf}") or "").strip()

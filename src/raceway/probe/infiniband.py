"""Reads /sys/class/infiniband through the host.

It deliberately runs no tool, and reads version and interface only of GIDs in use: a table has up to 256 entries a port,
and each read of an unused one costs a refusal of the kernel.
"""

from __future__ import annotations

from typing import Dict, Optional

from ..facts.gid import address_of
from ..facts.infiniband_sysfs import CLASS, InfinibandFacts, build
from ..host import Host

DEVICE_FILES = ("node_guid", "sys_image_guid", "fw_ver", "board_id", "hca_type", "device/numa_node")
PORT_FILES = ("link_layer", "state", "phys_state", "rate", "lid", "sm_lid")
COUNTER_FOLDERS = ("counters", "hw_counters")
Tree = Dict[str, Optional[str]]


def probe(host: Host, counters: bool = False) -> InfinibandFacts:
    """Return devices and ports as the kernel shows them; counters only where asked for."""
    if not host.exists("/sys/class"):
        return InfinibandFacts(problem="/sys is not mounted here, so no RDMA device can be seen")
    return build(read_tree(host, counters))


def read_tree(host: Host, counters: bool = False) -> Tree:
    """Return path → text of what the facts are made of; None where the kernel refuses to read."""
    tree: Tree = {}
    for name in host.listdir(CLASS):
        base = f"{CLASS}/{name}"
        for file in DEVICE_FILES:
            tree[f"{base}/{file}"] = host.read(f"{base}/{file}")
        tree[f"{base}/device"] = host.readlink(f"{base}/device")
        tree[f"{base}/device/net"] = "\n".join(host.listdir(f"{base}/device/net"))
        if host.exists(f"{base}/device/physfn"):
            tree[f"{base}/device/physfn"] = ""
        for port in host.listdir(f"{base}/ports"):
            tree.update(_port(host, f"{base}/ports/{port}", counters))
    return tree


def _port(host: Host, base: str, counters: bool) -> Tree:
    tree: Tree = {f"{base}/{file}": host.read(f"{base}/{file}") for file in PORT_FILES}
    for index in host.listdir(f"{base}/gids"):
        address = host.read(f"{base}/gids/{index}")
        if address and address_of(address):
            tree[f"{base}/gids/{index}"] = address
            for attribute in ("types", "ndevs"):
                path = f"{base}/gid_attrs/{attribute}/{index}"
                tree[path] = host.read(path)
    for folder in COUNTER_FOLDERS if counters else ():
        for name in host.listdir(f"{base}/{folder}"):
            tree[f"{base}/{folder}/{name}"] = host.read(f"{base}/{folder}/{name}")
    return tree

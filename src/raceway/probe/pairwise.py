"""Finds, for each declared port of a sweep, what it is on this node: interface, RDMA device, GID index, link rate.

    {"rail": 0, "address": "10.0.0.1"}  →  ens1f0np0, mlx5_0 port 1, GID 3 (RoCE v2), 400 Gb/s, ACTIVE

A port is known by its address, which is what its partners use; names and GID indexes move. It deliberately starts
nothing but ``ip``, and repairs nothing.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from ..facts.gid import ROCE_V2, Gid
from ..facts.infiniband_sysfs import IbPort
from ..facts.reading import json_rows, number
from ..host import Host
from ..model.pairwise import PROGRAMS, RDMA
from .infiniband import probe

NETWORK = "/sys/class/net"
Row = Dict[str, Any]


def look(host: Host, ports: Iterable[Mapping[str, Any]]) -> List[Row]:
    """Return one row for each port: what was found, and ``problem`` where it cannot take part."""
    tools = [program for program in PROGRAMS if host.which(program)]
    interfaces = _interfaces(host)
    known = [port for device in probe(host).devices for port in device.ports]
    return [{**_port(host, row, interfaces, known), "tools": tools} for row in ports]


def _port(host: Host, row: Mapping[str, Any], interfaces: Mapping[str, str], known: List[IbPort]) -> Row:
    address = str(row["address"])
    found: Row = {
        "rail": row["rail"],
        "address": address,
        "interface": interfaces.get(_plain(address), ""),
        "problem": "",
    }
    if not found["interface"]:
        return {**found, "problem": f"{address} is on no interface of this node"}
    if row["transport"] != RDMA:
        speed = number(host.read(f"{NETWORK}/{found['interface']}/speed"))
        state = (host.read(f"{NETWORK}/{found['interface']}/operstate") or "").strip()
        down = f"{found['interface']} is {state}" if state in ("down", "lowerlayerdown", "dormant") else ""
        return {**found, "rate_gbps": speed / 1000 if speed and speed > 0 else None, "problem": down}
    place = _rdma(host, address, found["interface"], known)
    if place is None:
        why = f"no RDMA device has a RoCE v2 GID for {address}, and {found['interface']} is no InfiniBand interface"
        return {**found, "problem": why}
    port, gid = place
    up = (
        ""
        if port.up
        else f"{port.name} is {port.state or 'of unknown state'}, {port.phys_state or 'no physical state'}"
    )
    more = {"device": port.device, "ib_port": port.port, "gid_index": gid.index if gid else -1}
    return {**found, **more, "link_layer": port.link_layer, "rate_gbps": port.rate_gbps, "problem": up}


def _rdma(host: Host, address: str, interface: str, known: List[IbPort]) -> Optional[Tuple[IbPort, Optional[Gid]]]:
    wanted = _plain(address)
    for port in known:
        for gid in port.gids:
            if gid.kind == ROCE_V2 and wanted in (gid.ipv4, _plain(gid.address)) and gid.netdev in ("", interface):
                return port, gid
    names = host.listdir(f"{NETWORK}/{interface}/device/infiniband")
    place = number(host.read(f"{NETWORK}/{interface}/dev_port"))
    for port in known:
        if port.device in names and port.link_layer == "InfiniBand" and port.port == (place or 0) + 1:
            return port, None
    return None


def _interfaces(host: Host) -> Dict[str, str]:
    """Return address → interface."""
    rows, _ = json_rows(host.run(["ip", "-j", "addr", "show"], timeout=10).out)
    found: Dict[str, str] = {}
    for row in rows:
        for one in row.get("addr_info") or []:
            if isinstance(one, dict) and one.get("local"):
                found[_plain(str(one["local"]))] = str(row.get("ifname", ""))
    return found


def _plain(address: str) -> str:
    """Return an address in the one form it is compared in."""
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address

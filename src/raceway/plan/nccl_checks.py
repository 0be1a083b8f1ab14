"""What is wrong with a declaration or with variables someone wrote by hand, whatever ports a node has.

The arithmetic of a ToS byte is ``DSCP << 2 | ECN``; a byte that means another DSCP than the declaration's would put
the traffic on another priority than the switches pause. It deliberately corrects nothing.
"""

from __future__ import annotations

import re
from typing import Iterable, List, Mapping, Sequence

from ..facts.nccl import RdmaPort
from ..model.nccl import ADDRESS_FAMILIES, CROSS_NIC, LIBRARIES, NOT_GIVEN, QPS, Declaration, version_of
from ..model.plan import Noop, Refusal
from ..model.qos import problems as qos_problems

LONGEST_VALUE = 1023  # bytes of a line NCCL's reader keeps for a value
TC_NAMES = ("NCCL_IB_TC", "NCCL_IB_FIFO_TC", "UCX_IB_TRAFFIC_CLASS")
CONGESTION = 3  # both ECN bits: Congestion Experienced
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTERFACE = re.compile(r"\^?[A-Za-z0-9_.:@-]{1,15}")
_RANGE = re.compile(r"[0-9a-fA-F.:]+/\d{1,3}")


def declared(declaration: Declaration) -> List[Refusal]:
    """Return everything that cannot be right in the declaration by itself."""
    rows = [
        Refusal(f"roce_{name}", f"{found}; allowed: {allowed}", act) for name, found, allowed, act in _qos(declaration)
    ]
    # HCCL comes with CANN, and none of its settings here depends on which.
    if declaration.kind != "ascend" and version_of(declaration.version) is None:
        reason = f"{declaration.version!r} is no version, and what is to be set depends on it"
        rows.append(Refusal("version", reason, "give the library's version, such as 2.27.5"))
    if declaration.cross_nic and declaration.cross_nic not in CROSS_NIC:
        rows.append(Refusal("cross_nic", f"{declaration.cross_nic!r}", f"one of {', '.join(CROSS_NIC)}"))
    if declaration.qps_per_connection and declaration.qps_per_connection not in QPS:
        rows.append(Refusal("qps_per_connection", f"{declaration.qps_per_connection}; allowed: 1 to 128", "correct it"))
    if declaration.address_family not in ADDRESS_FAMILIES:
        rows.append(Refusal("address_family", f"{declaration.address_family!r}", "write ipv4 or ipv6"))
    if declaration.address_range and not _RANGE.fullmatch(declaration.address_range):
        rows.append(Refusal("address_range", f"{declaration.address_range!r} is no CIDR", "such as 10.0.0.0/16"))
    if declaration.topology_file and not declaration.topology_file.startswith("/"):
        rows.append(Refusal("topology_file", f"{declaration.topology_file} is relative", "give the path from / on"))
    if declaration.sharp_plugin and not declaration.sharp_plugin.startswith("/"):
        rows.append(Refusal("sharp_plugin", f"{declaration.sharp_plugin} is relative", "give the path from / on"))
    return [*rows, *_sockets(declaration.sockets)]


def _qos(declaration: Declaration) -> Iterable[Sequence[str]]:
    return qos_problems(declaration.qos)


def _sockets(names: Sequence[str]) -> List[Refusal]:
    rows = [
        Refusal("socket_interfaces", f"{name!r} is no interface name", "one name an entry, ^name to leave one out")
        for name in names
        if not _INTERFACE.fullmatch(name)
    ]
    out = [name for name in names if name.startswith("^")]
    if out and len(out) != len(names):
        act = "name the interfaces to use, or those to leave out"
        rows.append(Refusal("socket_interfaces", f"{', '.join(names)}: some are left out, some chosen", act))
    return rows


def line_problem(name: str, value: str) -> str:
    """Return why a line of a library's file would not be read as it is meant, or the empty string.

    >>> line_problem("NCCL_IB_TC", "106 # DSCP 26")
    'a comment after a value becomes part of it'
    """
    if not _NAME.fullmatch(name):
        return "a name has letters, digits and _ only"
    if "\n" in value or "\0" in value:
        return "a value is one line"
    if value != value.strip():
        return "blanks at the ends are not trimmed and become part of the value"
    if value[:1] in "\"'" and value[:1]:
        return "quotes are not taken off and become part of the value"
    if re.search(r"\s#", value):
        return "a comment after a value becomes part of it"
    size = len(value.encode("utf-8", "surrogateescape"))
    return f"{size} bytes; the reader keeps {LONGEST_VALUE}" if size > LONGEST_VALUE else ""


def traffic_classes(declaration: Declaration, roce: bool) -> List[Refusal]:
    """Return what is wrong with ToS bytes among the extra variables; on RoCE they must mean the declared DSCP."""
    rows = []
    for name in TC_NAMES:
        if name not in declaration.extra:
            continue
        text = declaration.extra[name]
        act = f"take {name} out: it follows from roce_dscp and roce_ect"
        if not text.isdigit() or int(text) > 255:
            rows.append(Refusal(name, f"{text} is no ToS byte; allowed: 0 to 255", act))
        elif int(text) & CONGESTION == CONGESTION:
            reason = f"{text} has both ECN bits set, which marks every packet Congestion Experienced"
            rows.append(Refusal(name, reason, act))
        elif roce and int(text) >> 2 != declaration.qos.dscp:
            reason = f"{text} is DSCP {int(text) >> 2}, the fabric's data is DSCP {declaration.qos.dscp}"
            rows.append(Refusal(name, reason, act))
    return rows


def lint(variables: Mapping[str, str], ports: Sequence[RdmaPort]) -> List[Noop]:
    """Return warnings about a device list someone wrote by hand: names that mean more, or nothing, on this node.

    Without ``=`` each name is a prefix, so mlx5_1 takes mlx5_10 along (NVIDIA/nccl#236).
    """
    text = variables.get("NCCL_IB_HCA", "")
    body = text.lstrip("^")
    exact, devices = body.startswith("="), sorted({port.device for port in ports})
    rows = []
    for entry in filter(None, body.lstrip("=").split(",")):
        name = entry.partition(":")[0]
        more = [device for device in devices if device.startswith(name) and device != name]
        # mlx5 is a prefix people mean; mlx5_1 looks like one device whether it is here or not.
        cut = name[-1:].isdigit() and any(device[len(name)].isdigit() for device in more)
        if not exact and more and (cut or name in devices):
            fix = f"{text[: len(text) - len(body)]}={body}"
            reason = f"{name} is a prefix of {', '.join(more)} and takes them along; write {fix}"
            rows.append(Noop("NCCL_IB_HCA", f"warning: {reason}"))
        elif name not in devices and (exact or not more):
            there = ", ".join(devices) or "none"
            rows.append(Noop("NCCL_IB_HCA", f"warning: no device is called {name}; devices present: {there}"))
    return rows


def unknown_kind(kind: str) -> Refusal:
    """Return the refusal of a kind of accelerator whose library we do not know."""
    act = "correct node_accelerator_kind, or leave the role nccl out of raceway_roles"
    return Refusal("accelerator", f"{kind or 'none'!r} has no library known here; known: {', '.join(LIBRARIES)}", act)


def not_for(declaration: Declaration, library: str) -> List[Refusal]:
    """Return settings of NCCL that were declared for a library that has none of them."""
    given = {
        "rails": bool(declaration.rails),
        "cross_nic": bool(declaration.cross_nic),
        "qps_per_connection": bool(declaration.qps_per_connection),
        "adaptive_routing": declaration.adaptive_routing is not None,
        "pxn": declaration.pxn is not None,
        "sharp": declaration.sharp,
        "port_failover": declaration.port_failover is not None,
        "net_plugin": bool(declaration.net_plugin),
        "topology_file": bool(declaration.topology_file),
        "gid_index": declaration.gid_index != NOT_GIVEN,
        "address_range": bool(declaration.address_range),
    }
    act = f"take it out: {library} drives ports of the accelerators themselves"
    return [Refusal(name, f"declared, and no setting of {library}", act) for name, there in given.items() if there]

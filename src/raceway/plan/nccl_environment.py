"""The environment of a collective library, from its declaration and the RDMA ports of a node: pure, the same for all.

Each variable comes with its reason and where that is from, so ``/etc/nccl.conf``, a job's environment and what
``raceway nccl env`` prints are one thing. It deliberately sets nothing the library chooses well by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

from ..facts.nccl import ETHERNET, INFINIBAND, RdmaPort
from ..model.nccl import (
    ADDRESS_FAMILIES,
    CROSS_NIC,
    LIBRARIES,
    NOT_GIVEN,
    SINCE_DYNAMIC_GID,
    SINCE_FIFO_TC,
    SINCE_RAIL_TAGS,
    Declaration,
)
from ..model.plan import Noop, Refusal
from . import nccl_checks, nccl_fabric
from .nccl_gids import index_for
from .nccl_hccl import ascend
from .nccl_rails import Chosen, Told, choose
from .nccl_rows import Variable, row, sockets

GUIDE = "NCCL user guide, env.rst"
BOND = "mlx5_bond_"


@dataclass(frozen=True)
class Environment:
    """Variables in their order; ``refusals``: why there are none; ``notes``: what a reader should know besides."""

    variables: Tuple[Variable, ...] = ()
    refusals: Tuple[Refusal, ...] = ()
    notes: Tuple[Noop, ...] = ()

    def values(self) -> Dict[str, str]:
        """Return name → value, as a process is given it."""
        return {one.name: one.value for one in self.variables}


def environment(declaration: Declaration, ports: Sequence[RdmaPort]) -> Environment:
    """Return the variables of the declared library on a node with these ports, or every reason why not."""
    if declaration.kind not in LIBRARIES:
        return Environment(refusals=(nccl_checks.unknown_kind(declaration.kind),))
    told: List[Told] = list(nccl_checks.declared(declaration))
    if declaration.kind == "ascend":
        rows = ascend(declaration)
        told += nccl_checks.not_for(declaration, "HCCL")
    else:
        chosen, more = choose(declaration, ports)
        told += more
        rows = _rows(declaration, chosen, told)
    rows, more = _with_extra(declaration, rows)
    told += more
    told += [_unreadable(one) for one in rows if nccl_checks.line_problem(one.name, one.value)]
    refusals = tuple(dict.fromkeys(one for one in told if isinstance(one, Refusal)))
    notes = tuple(one for one in told if isinstance(one, Noop))
    return Environment(() if refusals else tuple(rows), refusals, notes)


def _rows(declaration: Declaration, chosen: Sequence[Chosen], told: List[Told]) -> List[Variable]:
    layers = {one.port.link_layer for one in chosen}
    roce, infiniband = layers == {ETHERNET}, layers == {INFINIBAND}
    rows = [*_devices(declaration, chosen), *sockets("NCCL_SOCKET_IFNAME", declaration.sockets, GUIDE)]
    if roce:
        rows += _addresses(declaration, chosen, told)
        rows += _traffic_class(declaration)
    if not chosen:  # nothing is derived that a list of a site's own could contradict
        told += nccl_checks.lint(declaration.extra, ())
    told += nccl_checks.traffic_classes(declaration, roce)
    told += _pinned(declaration, infiniband)
    told += nccl_fabric.checks(declaration, chosen, roce, infiniband)
    return [
        *rows,
        *_queue_pairs(declaration, chosen, told),
        *nccl_fabric.rows(declaration),
        *_paths(declaration, chosen, told),
        *_offload(declaration, told),
    ]


def _devices(declaration: Declaration, chosen: Sequence[Chosen]) -> List[Variable]:
    if not chosen:
        return []
    tagged = declaration.since(SINCE_RAIL_TAGS) and any(one.rail and one.rail.plane != NOT_GIVEN for one in chosen)
    entries = [one.port.label + (_tag(one) if tagged else "") for one in chosen]
    order = "the declared rails in their order" if declaration.rails else "every RDMA port in natural order"
    why = f"{order}; = because without it mlx5_1 would take mlx5_10 along"
    return [row("NCCL_IB_HCA", "=" + ",".join(entries), why, "NVIDIA/nccl#236")]


def _tag(one: Chosen) -> str:
    if one.rail is None:
        return ""
    return f":{one.rail.rail}" + (f":{one.rail.plane}" if one.rail.plane != NOT_GIVEN else "")


def _addresses(declaration: Declaration, chosen: Sequence[Chosen], told: List[Told]) -> List[Variable]:
    index, why, more = index_for(declaration, chosen)
    told += more
    if index != NOT_GIVEN:
        return [row("NCCL_IB_GID_INDEX", str(index), why, "NVIDIA/nccl#769, #426")]
    if not declaration.since(SINCE_DYNAMIC_GID):
        return []
    family = ADDRESS_FAMILIES.get(declaration.address_family, "")
    why = "the library picks each device's GID by address: an index moves and differs between devices"
    rows = [
        row("NCCL_IB_ADDR_FAMILY", family, why, "NVIDIA/nccl#2183, #890"),
        row("NCCL_IB_ROCE_VERSION_NUM", "2", "RoCE v2 is routed and carries the DSCP; v1 does neither", GUIDE),
    ]
    if declaration.address_range:
        why = "GIDs of the fabric's subnets alone, where ports have other addresses too"
        rows.append(row("NCCL_IB_ADDR_RANGE", declaration.address_range, why, GUIDE))
    return rows


def _traffic_class(declaration: Declaration) -> List[Variable]:
    qos = declaration.qos
    why = f"ToS byte {qos.dscp} << 2 | {qos.traffic_class & 3}: DSCP {qos.dscp}, ECN {qos.ect}, priority {qos.priority}"
    rows = [row("NCCL_IB_TC", str(qos.traffic_class), why, "RFC 2474, RFC 3168; openucx/ucx#10325")]
    if declaration.since(SINCE_FIFO_TC):
        why = "control messages on the same priority: plugins do not take it over from NCCL_IB_TC"
        rows.append(row("NCCL_IB_FIFO_TC", str(qos.traffic_class), why, GUIDE))
    return rows


def _queue_pairs(declaration: Declaration, chosen: Sequence[Chosen], told: List[Told]) -> List[Variable]:
    bonds = [one.port.device for one in chosen if one.port.device.startswith(BOND)]
    wanted = declaration.qps_per_connection
    if bonds and wanted == 1:
        reason = f"1 with {bonds[0]}: a single queue pair stays on one leg of a bond, half the bandwidth is never used"
        told.append(Refusal("qps_per_connection", reason, "give 2 or more, or leave it to raceway"))
    if bonds:
        why = "a queue pair stays on one leg of a bond: two use both"
        return [
            row("NCCL_IB_QPS_PER_CONNECTION", str(wanted or 2), why, "NVIDIA/nccl#1015, nccl-tests#265"),
            row("NCCL_IB_SPLIT_DATA_ON_QPS", "1", "each message is cut over the queue pairs", "NVIDIA/nccl#1015"),
        ]
    why = "declared: more flows for the switches' hashes to spread"
    return [row("NCCL_IB_QPS_PER_CONNECTION", str(wanted), why, GUIDE)] if wanted else []


def _paths(declaration: Declaration, chosen: Sequence[Chosen], told: List[Told]) -> List[Variable]:
    rows = []
    if declaration.cross_nic in CROSS_NIC:
        told_as = {"never": "each rail is a fabric of its own", "allow": "rails reach each other"}
        why = told_as.get(declaration.cross_nic, "declared: the library decides by the topology it sees")
        rows.append(row("NCCL_CROSS_NIC", CROSS_NIC[declaration.cross_nic], why, "NVIDIA/nccl#2013, #2097"))
    if declaration.pxn is not None:
        why = "NVLink carries data to the GPU beside the right NIC" if declaration.pxn else "each GPU uses its own NIC"
        rows.append(row("NCCL_PXN_DISABLE", str(int(not declaration.pxn)), f"declared: {why}", GUIDE))
    cards = [one.port.card for one in chosen if one.port.card]
    if declaration.cross_nic == "never" and len(cards) != len(set(cards)):
        reason = "warning: never with two ports of one card is broken on ConnectX-7 and BlueField-3 (NVIDIA/nccl#2097)"
        told.append(Noop("cross_nic", reason))
    if declaration.cross_nic == "never" and declaration.pxn is False:
        reason = (
            "warning: rails do not reach each other and PXN is off, so GPUs of different rails cannot exchange data"
        )
        told.append(Noop("pxn", reason))
    return rows


def _offload(declaration: Declaration, told: List[Told]) -> List[Variable]:
    rows = []
    if declaration.net_plugin:
        why = "declared: no plugin, the library's own transport" if declaration.net_plugin == "none" else "declared"
        rows.append(row("NCCL_NET_PLUGIN", declaration.net_plugin, why, GUIDE))
    if declaration.topology_file:
        why = "a virtual machine hides which GPU is near which NIC; the file says it"
        rows.append(row("NCCL_TOPO_FILE", declaration.topology_file, why, GUIDE))
    elif declaration.platform == "vm" and declaration.rails:
        reason = (
            "warning: in a virtual machine the library cannot see which GPU is near which NIC; declare topology_file"
        )
        told.append(Noop("topology_file", reason))
    return rows


def _pinned(declaration: Declaration, infiniband: bool) -> List[Told]:
    pinned = declaration.gid_index != NOT_GIVEN or any(rail.gid_index != NOT_GIVEN for rail in declaration.rails)
    if infiniband and pinned:
        return [Refusal("gid_index", "declared on InfiniBand, where it means no address", "take it out")]
    return []


def _with_extra(declaration: Declaration, rows: List[Variable]) -> Tuple[List[Variable], List[Told]]:
    """Return the rows with the declared further ones; one that is derived here may be repeated, not contradicted."""
    derived = {one.name: one.value for one in rows}
    told: List[Told] = []
    more = []
    for name, value in sorted(declaration.extra.items()):
        if name not in derived:
            more.append(row(name, value, "declared for this site", "nccl_environment"))
        elif value != derived[name]:
            reason = f"{value!r} is declared, {derived[name]!r} follows from the declaration"
            told.append(Refusal(name, reason, f"take {name} out of nccl_environment"))
    if declaration.extra.get("NCCL_IB_DISABLE", "0") != "0" and "NCCL_IB_HCA" in derived:
        told.append(Noop("NCCL_IB_DISABLE", "warning: RDMA is switched off for every job; this is for diagnosis alone"))
    return [*rows, *more], told


def _unreadable(one: Variable) -> Refusal:
    act = "write the plain value" if one.source == "nccl_environment" else "declare fewer devices or shorter names"
    return Refusal(one.name, nccl_checks.line_problem(one.name, one.value), act)

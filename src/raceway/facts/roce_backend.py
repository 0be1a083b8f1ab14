"""Which program reads and sets DCB on a port, decided once a port from what each of them answered.

Kernel netlink through iproute2's ``dcb`` comes first: it is the same on every driver. Where the kernel, the driver or
an old iproute2 refuses it, ``mlnx_qos`` of the vendor's driver package is taken. What neither of them holds (DCQCN,
the connection manager's byte) is in sysfs and configfs on both. It deliberately mixes no two programs on one port:
each has its own idea of what is set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Dict, Optional, Tuple

from .dcb import App, Buffer, Dcbx, Ets, Pfc
from .mlnx_qos import MlnxQos

DCB, MLNX_QOS = "dcb", "mlnx_qos"
FIRMWARE_OWNS = "lld_managed"
# mlnx_qos prints no numbers of classes; it speaks to mlx5 alone, whose ports have eight of both.
MLX5_CLASSES = 8
Row = Tuple[int, ...]


@dataclass(frozen=True)
class Readings:
    """The five answers of ``dcb`` about one port."""

    pfc: Pfc
    ets: Ets
    app: App
    dcbx: Dcbx
    buffer: Buffer


@dataclass(frozen=True)
class Half:
    """The DCB half of ``PortFacts``, fields as there, whichever program it came from."""

    backend: str = ""
    chosen: str = ""
    firmware_dcbx: bool = False
    classes: int = 0
    pfc_classes: int = 0
    dscp: Optional[Tuple[Tuple[int, int], ...]] = None
    pfc: Optional[Tuple[bool, ...]] = None
    priority_class: Optional[Row] = None
    scheduling: Optional[Tuple[str, ...]] = None
    bandwidth: Optional[Row] = None
    buffer: Optional[int] = None
    priority_buffer: Optional[Row] = None
    buffer_sizes: Optional[Row] = None
    cable_m: Optional[int] = None
    problem: str = ""


def by_dcb(seen: Readings) -> Half:
    """Return what ``dcb`` says; ``problem`` where PFC, ETS or the DSCP map cannot be read."""
    told = {"PFC": seen.pfc.problem, "ETS": seen.ets.problem, "DSCP map": seen.app.problem}
    return Half(
        backend=DCB,
        chosen="kernel netlink answers",
        firmware_dcbx=FIRMWARE_OWNS in (seen.dcbx.flags or ()),
        classes=seen.ets.capable or 0,
        pfc_classes=seen.pfc.capable or 0,
        dscp=None if seen.app.problem else seen.app.dscp,
        pfc=seen.pfc.enabled,
        priority_class=seen.ets.priority_class,
        scheduling=seen.ets.scheduling,
        bandwidth=seen.ets.bandwidth,
        buffer=seen.buffer.total,
        priority_buffer=seen.buffer.priority_buffer,
        buffer_sizes=seen.buffer.sizes,
        problem=next((f"{what}: {problem}" for what, problem in told.items() if problem), ""),
    )


def by_mlnx_qos(seen: MlnxQos) -> Half:
    """Return what ``mlnx_qos -a`` says. A port that does not trust DSCP has no DSCP map, whatever the table holds."""
    classes = {row.number: row for row in seen.classes}
    owner: Dict[int, int] = {priority: row.number for row in seen.classes for priority in row.priorities}
    whole = len(classes) == MLX5_CLASSES
    rows = [classes[number] for number in range(MLX5_CLASSES)] if whole else []
    tsas = tuple(row.scheduling or "" for row in rows)
    return Half(
        backend=MLNX_QOS,
        firmware_dcbx=seen.dcbx == "firmware",
        classes=MLX5_CLASSES,
        pfc_classes=MLX5_CLASSES,
        dscp=seen.dscp if seen.trust == "dscp" else None if seen.trust is None else (),
        pfc=seen.enabled,
        priority_class=tuple(owner[number] for number in range(8)) if len(owner) == 8 else None,
        scheduling=tsas if whole else None,
        bandwidth=tuple(row.share or 0 for row in rows) if whole else None,
        buffer=seen.buffer_total,
        priority_buffer=seen.priority_buffer,
        buffer_sizes=seen.buffers,
        cable_m=seen.cable_m,
        problem=seen.problem,
    )


def choose(dcb: Half, mlnx: Optional[Half]) -> Half:
    """Return the half of the program that can, with the reason; both reasons where none can. None: no such program."""
    if not dcb.problem:
        return dcb
    if mlnx is None:
        return replace(dcb, backend="", chosen="", problem=f"{dcb.problem}; there is no mlnx_qos either")
    if mlnx.problem:
        return replace(dcb, backend="", chosen="", problem=f"{dcb.problem}; mlnx_qos: {mlnx.problem}")
    return replace(mlnx, chosen=f"dcb cannot here: {dcb.problem}")

"""What a node's ports are set to, as far as the RoCE declaration looks at it.

A value that could not be read is None, which equals nothing: it is never taken for off or for zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from ..model.dcqcn import NOTIFY
from .lldp import Neighbour


@dataclass(frozen=True)
class PortFacts:
    """One port. ``device``: the name its interface has now; ``problem``: why its DCB settings cannot be read or set.

    ``backend``: the program that reads and sets DCB here (``dcb``, ``mlnx_qos``; empty: none can); ``chosen``: why.

    ``dscp``: (DSCP, priority) of every entry, and ``dcb app add`` leaves two of one DSCP; ``classes``: how many traffic
    classes it has; ``pfc_classes``: how many of them may be paused at once; ``buffer``: bytes of all receive buffers;
    ``firmware_dcbx``: the firmware answers the neighbour's LLDP itself and would overwrite the host; ``dcqcn``: (file,
    text) of the driver's run-time switches, None where it has none; ``notifies``: whether it sends notifications at
    all; ``cm_tos``: (RDMA device, byte) of what connections through the connection manager start with, for the devices
    whose byte can be read; ``priority_buffer``/``buffer_sizes``: receive buffer of each priority, bytes of each buffer;
    ``cable_m``: metres the driver counts with, where it says; ``neighbours``: what LLDP has heard on the port.
    """

    device: str
    driver: str = ""
    backend: str = "dcb"
    chosen: str = ""
    up: bool = False
    virtual_function: bool = False
    firmware_dcbx: bool = False
    classes: int = 0
    pfc_classes: int = 0
    dscp: Optional[Tuple[Tuple[int, int], ...]] = None
    pfc: Optional[Tuple[bool, ...]] = None
    priority_class: Optional[Tuple[int, ...]] = None
    scheduling: Optional[Tuple[str, ...]] = None
    bandwidth: Optional[Tuple[int, ...]] = None
    pause: Optional[Tuple[bool, bool]] = None
    mtu: Optional[int] = None
    dcqcn: Optional[Tuple[Tuple[str, str], ...]] = None
    notifies: Optional[bool] = None
    cm_tos: Tuple[Tuple[str, int], ...] = ()
    max_mtu: Optional[int] = None
    buffer: Optional[int] = None
    priority_buffer: Optional[Tuple[int, ...]] = None
    buffer_sizes: Optional[Tuple[int, ...]] = None
    cable_m: Optional[int] = None
    neighbours: Tuple[Neighbour, ...] = ()
    speed_mbps: Optional[int] = None
    problem: str = ""

    def maps(self, dscp: int, priority: int) -> bool:
        """Tell whether a DSCP has this priority and no other."""
        return {found for code, found in self.dscp or () if code == dscp} == {priority}

    def switched(self, path: str, text: str) -> bool:
        """Tell whether one of the driver's switches stands as declared; a file that could not be read is no answer.

        Any file of the notification point speaks for all eight.
        """
        on = path.startswith(f"{NOTIFY}/") and text == "1" and bool(self.notifies)
        return on or dict(self.dcqcn or ()).get(path) == text


@dataclass(frozen=True)
class RoceFacts:
    """Ports by label (absent: no such port), what else is there, who else sets DCB, and the files that persist it.

    ``present``: ``name (pci …, mac …)`` of every interface that is a port, for the reader of a refusal. ``files``:
    path → text now there. ``owned``: label → what was found; ``owned_buffers``: the same of the receive buffers that
    were divided by hand. ``unheard``: why the neighbours are not known although an LLDP agent runs.
    """

    ports: Mapping[str, PortFacts] = field(default_factory=dict)
    present: Tuple[str, ...] = ()
    lldpad: bool = False
    files: Mapping[str, Optional[str]] = field(default_factory=dict)
    owned: Mapping[str, Any] = field(default_factory=dict)
    owned_buffers: Mapping[str, Any] = field(default_factory=dict)
    unheard: str = ""

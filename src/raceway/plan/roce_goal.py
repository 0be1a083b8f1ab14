"""What one port is to hold, part by part, and whether it does. Not every port has every part.

It deliberately compares a DSCP map only at the declared code points, and buffer sizes but for a driver's rounding.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional

from ..facts.roce import PortFacts
from ..model.qos import Qos
from ..model.roce import PARTS, Port, RoceDesired, fields_of, part, wanted
from ..model.roce_buffer import HEADROOM, Division, divide
from ..model.roce_buffer import holds as sizes_hold

Values = Dict[str, Any]
# mlx5 counts with 7 metres unless told; less would only take headroom away.
DRIVER_CABLE_M = 7
EVERYWHERE = ("dscp", "pfc", "ets", "pause", "mtu")


def goals(port: Port, desired: RoceDesired, found: PortFacts, original: Mapping[str, Any]) -> Dict[str, Values]:
    """Return part → field → value in the order of work; ``original``: buffers before they were divided by hand."""
    settings = wanted(desired.qos)
    rows = {name: part(settings, name) for name in EVERYWHERE}
    if found.dcqcn is not None:
        rows["dcqcn"] = part(settings, "dcqcn")
    if found.cm_tos:
        rows["cm_tos"] = {"cm_tos": tuple((device, desired.qos.traffic_class) for device, _ in found.cm_tos)}
    if found.cable_m is not None:
        rows["cable"] = {"cable_m": max(desired.qos.cable_m, DRIVER_CABLE_M)}
    buffers = _buffers(port, desired, found, original)
    if buffers:
        rows["buffer"] = buffers
    return {name: rows[name] for name in PARTS if name in rows}


def division(port: Port, qos: Qos, found: PortFacts) -> Optional[Division]:
    """Return how the port's receive buffer is divided, None where speed or size are unknown or too little."""
    speed = found.speed_mbps or port.speed_mbps
    return divide(qos, speed / 1000, found.buffer) if speed and found.buffer else None


def _buffers(port: Port, desired: RoceDesired, found: PortFacts, original: Mapping[str, Any]) -> Values:
    made = division(port, desired.qos, found) if desired.buffer == HEADROOM else None
    if made:
        return {"priority_buffer": made.priority_buffer, "buffer_sizes": made.sizes}
    # Declared auto after a division by hand: the driver cannot be told to divide again, so it gets its own back.
    names = fields_of("buffer")
    return {name: tuple(original[name]) for name in names} if all(original.get(name) for name in names) else {}


def reached(values: Mapping[str, Any], found: PortFacts) -> bool:
    """Tell whether a port holds one part; values from the ledger have lists for tuples."""
    return all(_field(name, value, found) for name, value in values.items())


def _field(name: str, value: Any, found: PortFacts) -> bool:
    if name == "dscp":
        # Nothing mapped, in the ledger, is a port that trusted no DSCP.
        return all(found.maps(code, priority) for code, priority in value) if value else found.dscp == ()
    if name == "dcqcn":
        return found.dcqcn is None or all(found.switched(path, text) for path, text in value)
    if name == "buffer_sizes":
        return sizes_hold(tuple(value), found.buffer_sizes)
    return json.dumps(getattr(found, name)) == json.dumps(value)

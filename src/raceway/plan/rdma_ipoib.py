"""IPoIB interfaces: mode, MTU and the child interface of a partition, set where the declared rail's device has one.

The kernel forgets all three, so the boot unit sets them again. It deliberately gives no address: that is the network
configuration's; and it changes nothing under the default route or an ssh connection.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

from ..facts.rdma import IpoibFacts, RdmaFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Refusal, Step
from ..model.rdma import Ipoib, RdmaDesired
from .rdma_part import Outcome, Part, part


def ipoib(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of all declared interfaces."""
    rows: List[Outcome] = []
    for row in desired.ipoib:
        main = _main(row, desired, facts)
        rows.append(_row(row, main, facts) if main else _missing(row, desired, facts))
    return part(rows, [f"ipoib {row.label}" for row in desired.ipoib])


def _main(row: Ipoib, desired: RdmaDesired, facts: RdmaFacts) -> Optional[IpoibFacts]:
    shown = [facts.devices.get(device.label) for device in desired.of_rail(row.rail)]
    places = {(device.pci, row.port) for device in shown if device and device.pci}
    return next((one for one in facts.ipoib if (one.pci, one.port) in places and not one.parent), None)


def _missing(row: Ipoib, desired: RdmaDesired, facts: RdmaFacts) -> Outcome:
    if not any(device.label in facts.devices for device in desired.of_rail(row.rail)):
        return Noop(row.label, "its device is not here, which is told for the device")
    reason = f"rail {row.rail} has no IPoIB interface on port {row.port}"
    return Refusal(row.label, reason, "see that the port's link type is InfiniBand and the module ib_ipoib is loaded")


def _row(row: Ipoib, main: IpoibFacts, facts: RdmaFacts) -> Outcome:
    child = next((one for one in facts.ipoib if one.parent == main.name and one.pkey == row.pkey), None)
    now = child if row.pkey else main
    name = now.name if now else child_name(main.name, row.pkey)
    changes = _changes(row, now)
    if now and not changes:
        return Noop(row.label, f"{name} is as declared")
    if now and (facts.carriers_problem or facts.carriers.get(name)):
        carried = "; ".join(facts.carriers.get(name, ())) or f"nobody can tell what: {facts.carriers_problem}"
        reason = f"{name} carries {carried}; a change of {' and '.join(changes)} would cut it"
        return Refusal(row.label, reason, "reach the node over another port, or set it in the network configuration")
    before = {"name": name, "parent": main.name, "pkey": row.pkey, "made": now is None}
    before.update(_found(now, ("mode", "mtu")))
    args: Dict[str, Any] = {
        "key": f"ipoib {row.label}",
        "before": before,
        "name": name,
        "parent": main.name,
        "pkey": row.pkey,
    }
    args.update(make=now is None, values=changes)
    parts = [f"make {name} for partition {row.pkey}"] if now is None else []
    parts += [f"set {what} of {name} to {value}" for what, value in changes.items()]
    risk = DISRUPTIVE if now else SAFE
    why = "the kernel makes IPoIB interfaces with its own mode and MTU, and forgets what was set"
    undo = f"delete {name}" if now is None else f"set {_told(_found(now, changes))} again"
    shown = _told(_found(now, changes)) if now else "absent"
    return Step("rdma_ipoib", row.label, " and ".join(parts), why, risk, undo, shown, _told(changes) or name, args)


def child_name(parent: str, pkey: str) -> str:
    """Return what the kernel calls the child of a partition.

    >>> child_name("ib0", "0x8001")
    'ib0.8001'
    """
    return f"{parent}.{int(pkey, 16):04x}"


def _changes(row: Ipoib, now: Optional[IpoibFacts]) -> Dict[str, Any]:
    rows: Dict[str, Any] = {}
    if row.mode and (now is None or now.mode != row.mode):
        rows["mode"] = row.mode
    if row.mtu and (now is None or now.mtu != row.mtu or "mode" in rows):
        rows["mtu"] = row.mtu  # a new mode brings its own MTU
    return rows


def _found(now: Optional[IpoibFacts], changes: Iterable[str]) -> Dict[str, Any]:
    return {what: getattr(now, what) for what in changes} if now else {}


def _told(values: Dict[str, Any]) -> str:
    return ", ".join(f"{what} {value}" for what, value in values.items())

"""Plans the RoCE settings of each declared port: all of a port or nothing of it.

A port that cannot be made right is refused as a whole (``roce_refusals``); the other ports go on. It deliberately
leaves receive buffers to the driver unless they are declared: the first size set by hand ends the driver's own.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Dict, List, Union

from ..facts.roce import PortFacts, RoceFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.qos import to_spec
from ..model.roce import PARTS, Port, RoceDesired, fields_of
from .roce_boot import plan_boot, stored_speeds
from .roce_goal import goals, reached
from .roce_refusals import refusal

_Outcome = Union[Step, Noop, Refusal]
WHY = {
    "cable": "the driver keeps as much buffer free as is on its way along the cable when it pauses",
    "buffer": "each lossless priority has a buffer of its own with room for what is on its way after a pause",
    "dscp": "the DSCP of a packet decides its priority; the first entry also makes the port trust DSCP",
    "pfc": "the fabric is lossless for these priorities alone; a pause of others would spread congestion",
    "ets": "the data's class keeps its share of the link, notifications go first",
    "dcqcn": "senders slow down before PFC has to pause them, and the packets that tell them must not wait",
    "cm_tos": "connections through rdma_cm start with this byte unless the program sets one",
    "pause": "link pause stops every priority at once and overrides PFC",
    "mtu": "a RoCE MTU of 4096 needs a port MTU of 4200 or more at both ends",
}
NO_SWITCHES = "{} has no run-time switches for DCQCN (inbox driver): the card's firmware settings hold"
NOT_YET = "not there yet: when it appears it is set"
HELD = "no boot sets {} either until its steps have consent (roce_allow_disruptive)"
KEPT = "a boot sets {} as it was declared when consent was given, not as it is now"
# Both make the driver set the link up anew.
DISRUPTING = ("pause", "mtu")
MANUAL = " (sizes; the driver itself divides again only after a reload)"


def plan(desired: RoceDesired, facts: RoceFacts) -> Plan:
    """Return what makes every declared port as declared, keeps it so over boots, and gives back what no longer is."""
    outcomes: List[_Outcome] = []
    good: List[Port] = []
    held: List[Port] = []
    speeds = stored_speeds(facts)
    for declared in desired.ports:
        # A link that is down has no speed; what it had is in the request of the boot.
        port = replace(declared, speed_mbps=declared.speed_mbps or speeds.get(declared.label, 0))
        if desired.boot and port.label not in facts.ports:
            outcomes.append(Noop(port.label, NOT_YET))
            continue
        why_not = refusal(port, desired, facts)
        rows = [why_not] if why_not else _port(port, desired, facts)
        outcomes += rows
        if not why_not:
            waits = not desired.consent and any(row.risk == DISRUPTIVE for row in rows if isinstance(row, Step))
            (held if waits else good).append(port)
    if facts.unheard and not desired.boot:
        outcomes.append(Noop("lldpd", f"runs, but the MTU of neighbours is not known: {facts.unheard}"))
    if desired.boot:
        return sort(outcomes)
    given_up = sorted(set(facts.owned) - {port.label for port in desired.ports})
    outcomes += [_restore(label, facts) for label in given_up]
    boot, kept = plan_boot(desired, good, held, facts)
    outcomes += [_held(port, port.label in kept, facts) for port in held if desired.persist]
    return join([sort(outcomes), boot])


def _port(port: Port, desired: RoceDesired, facts: RoceFacts) -> List[_Outcome]:
    found = facts.ports[port.label]
    rows = goals(port, desired, found, facts.owned_buffers.get(port.label, {}))
    wrong = [name for name, values in rows.items() if not reached(values, found)]
    told: List[_Outcome] = [Noop(port.label, NO_SWITCHES.format(found.device))] if found.dcqcn is None else []
    if not wrong:
        return [*told, Noop(port.label, f"{found.device} is set as declared ({_ways(found)})")]
    # One consent decides about all of a port: half a port would drop what the other half promises to keep.
    risk = DISRUPTIVE if found.up and any(name in DISRUPTING for name in wrong) else SAFE
    return [*told, *(_step(port, name, rows[name], desired, found, risk) for name in wrong)]


def _ways(found: PortFacts) -> str:
    """Return by which programs and files a port is read and set."""
    rows = [found.backend + (f", since {found.chosen}" if found.chosen else "")]
    rows += ["DCQCN by sysfs"] if found.dcqcn is not None else []
    rows += ["rdma_cm by configfs"] if found.cm_tos else []
    return "; ".join(rows)


def _step(port: Port, name: str, after: Dict[str, Any], desired: RoceDesired, found: PortFacts, risk: str) -> Step:
    before = {field: getattr(found, field) for field in fields_of(name)}
    original = {**_original(found), "qos": to_spec(desired.qos)}
    args: Dict[str, Any] = {"port": port.label, "device": found.device, "part": name, "values": after}
    args.update(before=original, qos=desired.qos, backend=found.backend)
    by = f" by {found.backend}" if name in ("cable", "buffer", "dscp", "pfc", "ets") else ""
    what = f"set {name} of {found.device} ({port.label}) to {_short(after)}{by}"
    undo = f"set {name} back to {_short(before)}{MANUAL if name == 'buffer' else ''}"
    return Step("roce", port.label, what, WHY[name], risk, undo, _named(before), _named(after), args)


def _original(found: PortFacts) -> Dict[str, Any]:
    """Return what the ledger keeps: every part as JSON."""
    return {field: getattr(found, field) for name in PARTS for field in fields_of(name)}


def _short(values: Any) -> str:
    return json.dumps(values if len(values) > 1 else next(iter(values.values())))


def _named(values: Any) -> str:
    """Return what a report shows as found or declared: it stands without the step's words, so it names the part."""
    return ", ".join(f"{field} {json.dumps(value)}" for field, value in values.items())


def _held(port: Port, kept: bool, facts: RoceFacts) -> Noop:
    return Noop(port.label, (KEPT if kept else HELD).format(facts.ports[port.label].device))


def _restore(label: str, facts: RoceFacts) -> Step:
    found, was = facts.ports.get(label), facts.owned[label]
    args = {"port": label, "before": was, "device": found.device if found else ""}
    why = "the port is no longer declared, it gets back what raceway found"
    if found is None:
        what = f"forget {label}: the port is gone"
        return Step("roce_forget", label, what, why, SAFE, "declare the port again", args=args)
    what = f"give {found.device} ({label}) back its settings"
    return Step("roce_restore", label, what, why, DISRUPTIVE if found.up else SAFE, "declare the port again", args=args)

"""Plans the RoCE settings of each declared port: all of a port or nothing of it.

A port that cannot be made right is refused as a whole with what was wanted and what was found; the other ports go on.
It deliberately changes no buffer sizes: drivers size them by cable and PFC, and the first hand-made size ends that.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Union

from ..facts.roce import PortFacts, RoceFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.qos import Qos, to_spec
from ..model.roce import CLASSES, PARTS, Port, RoceDesired, Settings, fields_of, headroom, part, wanted
from .dropin import plan_file
from .roce_boot import boot_files

_Outcome = Union[Step, Noop, Refusal]
WHY = {
    "dscp": "the DSCP of a packet decides its priority; the first entry also makes the port trust DSCP",
    "pfc": "the fabric is lossless for this priority alone; a pause of others would spread congestion",
    "ets": "the data's class keeps its share of the link, notifications go first",
    "dcqcn": "senders slow down before PFC has to pause them, and the packets that tell them must not wait",
    "cm_tos": "connections through rdma_cm start with this byte unless the program sets one",
    "pause": "link pause stops every priority at once and overrides PFC",
    "mtu": "a RoCE MTU of 4096 needs a port MTU of 4200 or more at both ends",
}
NO_SWITCHES = "{} has no run-time switches for DCQCN (inbox driver): the card's firmware settings hold"
# Both make the driver set the link up anew.
DISRUPTING = ("pause", "mtu")


def plan(desired: RoceDesired, facts: RoceFacts) -> Plan:
    """Return what makes every declared port as declared, keeps it so over boots, and gives back what no longer is."""
    outcomes: List[_Outcome] = []
    good: List[Port] = []
    for port in desired.ports:
        refusal = _refusal(port, desired, facts)
        if refusal:
            outcomes.append(refusal)
            continue
        good.append(port)
        outcomes += _port(port, desired.qos, facts.ports[port.label])
    declared = {port.label for port in desired.ports}
    given_up = sorted(set(facts.owned) - declared)
    outcomes += [_restore(label, facts) for label in given_up]
    return join([sort(outcomes), _boot(desired, good, facts)])


def _port(port: Port, qos: Qos, found: PortFacts) -> List[_Outcome]:
    settings = wanted(qos)
    wrong = [name for name in PARTS if not _holds(name, settings, found)]
    wrong += ["cm_tos"] if any(tos != qos.traffic_class for _, tos in found.cm_tos) else []
    told: List[_Outcome] = [Noop(port.label, NO_SWITCHES.format(found.device))] if found.dcqcn is None else []
    if not wrong:
        return [*told, Noop(port.label, f"{found.device} is set as declared")]
    # One consent decides about all of a port: half a port would drop what the other half promises to keep.
    risk = DISRUPTIVE if found.up and any(name in DISRUPTING for name in wrong) else SAFE
    return [*told, *(_step(port, name, qos, found, risk) for name in wrong)]


def _step(port: Port, name: str, qos: Qos, found: PortFacts, risk: str) -> Step:
    after = _tos(qos, found) if name == "cm_tos" else part(wanted(qos), name)
    before = _told(name, found)
    original = {**_original(found), "qos": to_spec(qos)}
    args = {"port": port.label, "device": found.device, "part": name, "values": after, "qos": qos, "before": original}
    what = f"set {name} of {found.device} ({port.label}) to {_short(after)}"
    undo = f"set {name} back to {_short(before)}"
    return Step("roce", port.label, what, WHY[name], risk, undo, _named(before), _named(after), args)


def _tos(qos: Qos, found: PortFacts) -> Dict[str, Any]:
    return {"cm_tos": tuple((device, qos.traffic_class) for device, _ in found.cm_tos)}


def _holds(name: str, settings: Settings, found: PortFacts) -> bool:
    if name == "dcqcn":
        return found.dcqcn is None or all(found.switched(path, text) for path, text in settings.dcqcn)
    if name == "dscp":
        return all(found.maps(code, priority) for code, priority in settings.dscp)
    return all(getattr(found, field) == value for field, value in part(settings, name).items())


def _told(name: str, found: PortFacts) -> Dict[str, Any]:
    return {field: getattr(found, field) for field in fields_of(name)}


def _original(found: PortFacts) -> Dict[str, Any]:
    """Return what the ledger keeps: every part as JSON."""
    return {field: value for name in (*PARTS, "cm_tos") for field, value in _told(name, found).items()}


def _short(values: Any) -> str:
    return json.dumps(values if len(values) > 1 else next(iter(values.values())))


def _named(values: Any) -> str:
    """Return what a report shows as found or declared: it stands without the step's words, so it names the part."""
    return ", ".join(f"{field} {json.dumps(value)}" for field, value in values.items())


def _refusal(port: Port, desired: RoceDesired, facts: RoceFacts) -> Optional[Refusal]:
    found = facts.ports.get(port.label)
    if found is None:
        there = ", ".join(facts.present) or "no interface with hardware"
        return Refusal(port.label, f"no such port; there are: {there}", "correct roce_ports, or look for the card")
    name = found.device
    if facts.lldpad:
        act = "systemctl disable --now lldpad (lldpd may stay: it only listens)"
        return Refusal(port.label, f"lldpad is running: it would overwrite the settings of {name}", act)
    if found.virtual_function:
        act = "declare the physical function instead; its functions inherit the settings"
        return Refusal(port.label, f"{name} is a virtual function: only the physical one can be set", act)
    if found.problem:
        act = "use a port whose driver offers DCB, or load the vendor's driver"
        return Refusal(port.label, f"{name} (driver {found.driver or 'unknown'}): {found.problem}", act)
    if found.firmware_dcbx:
        act = "set LLDP_NB_DCBX and DCBX_WILLING to 0 with mlxconfig (fw-lldp-agent off on Intel) and reset the card"
        return Refusal(port.label, f"the firmware of {name} speaks DCBX itself and would overwrite the host", act)
    return _capability(port, desired, found)


def _capability(port: Port, desired: RoceDesired, found: PortFacts) -> Optional[Refusal]:
    name, qos = found.device, desired.qos
    if found.classes < CLASSES:
        reason = f"{name} has {found.classes} traffic classes, wanted {CLASSES}: data, notifications, the rest"
        return Refusal(port.label, reason, "use a port with more queues, or raise them in its firmware settings")
    if found.pfc_classes < 1:
        return Refusal(port.label, f"{name} can pause no priority by PFC, wanted 1", "use a port with PFC")
    if found.buffer is not None and found.speed_mbps:
        need = headroom(qos, found.speed_mbps / 1000)
        if need > found.buffer:
            reason = f"{name} has {found.buffer} bytes of receive buffer, a lossless priority needs {need}"
            act = f"lower roce_cable_m ({qos.cable_m}) if the cable is shorter, or use a card with more buffer"
            return Refusal(port.label, reason, act)
    if found.max_mtu is not None and qos.mtu > found.max_mtu:
        return Refusal(port.label, f"{name} takes an MTU up to {found.max_mtu}, wanted {qos.mtu}", "lower roce_mtu")
    return None


def _restore(label: str, facts: RoceFacts) -> Step:
    found, was = facts.ports.get(label), facts.owned[label]
    args = {"port": label, "before": was, "device": found.device if found else ""}
    why = "the port is no longer declared, it gets back what raceway found"
    if found is None:
        what = f"forget {label}: the port is gone"
        return Step("roce_forget", label, what, why, SAFE, "declare the port again", args=args)
    what = f"give {found.device} ({label}) back its settings"
    return Step("roce_restore", label, what, why, DISRUPTIVE if found.up else SAFE, "declare the port again", args=args)


def _boot(desired: RoceDesired, good: List[Port], facts: RoceFacts) -> Plan:
    """Return the files that run this same code when a port appears: at boot and after a reload of its driver."""
    kept = good if desired.persist else []
    spec = {
        "ports": [{port.by: port.value, "rail": port.rail} for port in kept],
        "qos": to_spec(desired.qos),
        "persist": True,
        "platform": desired.platform,
    }
    files = boot_files(kept, spec)
    why = "the kernel forgets these settings at every boot and driver reload"
    plans = [plan_file(path, text, facts.files.get(path), why) for path, text in sorted(files.items())]
    return join(plans) if kept or any(facts.files.get(path) is not None for path in files) else Plan()

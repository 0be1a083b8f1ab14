"""Plans the RDMA side of a node: every part says what it wants, what it refuses and what stays raceway's.

A declared device that is not there is refused by its selector, with what is there, and the others go on. In a container
all of it but the limits of its own services belongs to the machine below, which is said once for each thing.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..facts.rdma import RdmaFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join, sort
from ..model.rdma import LEAVE, NONE, Device, RdmaDesired
from .rdma_boot import boot
from .rdma_firmware import firmware
from .rdma_gpudirect import gpudirect
from .rdma_ipoib import ipoib
from .rdma_memlock import memlock
from .rdma_naming import naming
from .rdma_netns import netns
from .rdma_part import Outcome, Part
from .rdma_pcie import pcie
from .rdma_subnet import subnet

# What the kernel forgets, which is all that the boot unit's run sets.
FORGOTTEN: Tuple[Callable[[RdmaDesired, RdmaFacts], Part], ...] = (naming, pcie, ipoib)
PARTS = (naming, netns, memlock, firmware, pcie, gpudirect, subnet, ipoib)
IN_CONTAINER = "belongs to the machine this container runs on"
RESTORED: Dict[str, str] = {
    "name": "call {target} {before} again",
    "netns": "set the namespace mode of RDMA back to {before}",
    "firmware": "write the former firmware setting of {target} ({before})",
    "read_request": "let {target} ask for {before} bytes at a time again",
    "acs": "switch the redirection of bridge {target} on again",
    "gpudirect": "unload nvidia_peermem",
    "opensm": "give opensm back its former state",
    "ipoib": "give {target} back its settings",
}
# Giving these back cuts what runs over them; the others are seen by nobody, or by the next boot.
CUTTING = ("name", "gpudirect", "opensm", "ipoib")


def plan(desired: RdmaDesired, facts: RdmaFacts) -> Plan:
    """Return what makes the RDMA side as declared, and gives back what no longer is."""
    if desired.platform == "container":
        return join([sort(_in_container(desired)), memlock(desired, facts).plan])
    made = {one: one(desired, facts) for one in (FORGOTTEN if desired.boot else PARTS)}
    plans = [sort(_missing(device, facts) for device in desired.devices if device.label not in facts.devices)]
    plans += [one.plan for one in made.values()]
    if desired.boot:
        return _without_files(join(plans))
    kept = {key for one in made.values() for key in one.keys}
    plans.append(sort(_given_up(facts, kept)))
    plans.append(boot(desired, facts, join(made[one].plan for one in FORGOTTEN)))
    return join(plans)


def _missing(device: Device, facts: RdmaFacts) -> Refusal:
    there = ", ".join(facts.present) or "none"
    act = "correct rdma_devices, or look for the card, its driver and the module of its RDMA half"
    return Refusal(device.label, f"rail {device.rail} has no such RDMA device; there are: {there}", act)


def _in_container(desired: RdmaDesired) -> List[Outcome]:
    rows = [(device.label, "an RDMA device") for device in desired.devices]
    rows += [(row.label, "an IPoIB interface") for row in desired.ipoib]
    rows += [("device names", "the naming of devices")] if desired.naming else []
    rows += [("netns", "the namespace mode of RDMA")] if desired.netns else []
    rows += [("pci", "the PCI bus")] if desired.acs != LEAVE or desired.read_request else []
    rows += [("gpudirect", "the way to GPU memory")] if desired.gpudirect != NONE else []
    rows += [("opensm", "the subnet manager")] if desired.subnet_manager else []
    return [Noop(target, f"{what} {IN_CONTAINER}") for target, what in rows]


def _without_files(plan: Plan) -> Plan:
    """Leave out files: a boot carries out what is stored and stores nothing."""
    steps = tuple(step for step in plan.steps if step.type not in ("file", "file_restore"))
    return Plan(steps, plan.noops, plan.refusals, plan.reboots)


def _given_up(facts: RdmaFacts, kept: Set[str]) -> Sequence[Outcome]:
    return [_cuts(key, facts) or _restore(key, facts) for key in sorted(facts.owned) if key not in kept]


def _cuts(key: str, facts: RdmaFacts) -> Optional[Refusal]:
    """Return the refusal of a thing that cannot be given back without cutting what must not break."""
    kind, _, target = key.partition(" ")
    carried: Tuple[str, ...] = ()
    if kind == "ipoib":
        name = facts.owned[key]["name"]
        carried = tuple(f"{name} carries {what}" for what in facts.carriers.get(name, ()))
    elif kind == "firmware" and " LINK_TYPE_" in target:
        device = facts.devices.get(target.rpartition(" ")[0])
        carried = facts.carries(device) if device else ()
    if not carried and not (facts.carriers_problem and kind == "ipoib"):
        return None
    told = "; ".join(carried) or f"nobody can tell what it carries: {facts.carriers_problem}"
    act = "move route and sessions to another port and run again"
    return Refusal(target, f"it is no longer declared, and giving it back would cut: {told}", act)


def _restore(key: str, facts: RdmaFacts) -> Step:
    kind, _, target = key.partition(" ")
    before = facts.owned[key]
    args = {"key": key, "original": before, **_place(kind, target, facts)}
    why = "it is no longer declared, it gets back what raceway found"
    if args.pop("gone"):
        what = f"forget {key}: it is gone"
        return Step("rdma_forget", target or key, what, why, SAFE, "declare it again", args=args)
    if kind == "netns" and facts.namespaces:
        what = "leave the namespace mode to the next boot, which has the kernel's own"
        why = f"{why}; the kernel changes it only without other network namespaces"
        return Step("rdma_forget", key, what, why, SAFE, "declare it again", facts.netns, str(before), args)
    what = RESTORED[kind].format(target=target, before=before)
    risk = DISRUPTIVE if kind in CUTTING else SAFE
    return Step("rdma_restore", target or key, what, why, risk, "declare it again", args=args)


def _place(kind: str, target: str, facts: RdmaFacts) -> Dict[str, object]:
    """Return where the thing is now, and whether it is gone."""
    if kind in ("name", "firmware", "read_request"):
        label, _, setting = target.rpartition(" ") if kind == "firmware" else (target, "", "")
        device = facts.devices.get(label)
        name, pci = (device.name, device.pci) if device else ("", "")
        return {"gone": device is None, "device": name, "pci": pci, "setting": setting}
    if kind == "acs":
        return {"gone": target not in facts.bus.functions, "bridge": target}
    if kind == "ipoib":
        return {"gone": not any(one.name == facts.owned[f"ipoib {target}"]["name"] for one in facts.ipoib)}
    return {"gone": kind == "gpudirect" and not facts.gpu.peermem}

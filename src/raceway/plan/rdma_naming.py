"""Names of RDMA devices: a udev rule in the place of rdma-core's, and the live name of a device that has another.

The rule file has the name of the package's own, so that udev reads ours instead of it; each device with a name of its
own comes before the policy. It deliberately renames a live device only to a free name: two that have to swap wait for
the next boot.
"""

from __future__ import annotations

from typing import List

from ..facts.rdma import RdmaFacts
from ..model.plan import DISRUPTIVE, Noop, Reboot, Step
from ..model.rdma import NAMING, Device, RdmaDesired
from ..model.selector import PCI
from .dropin import render
from .rdma_part import Outcome, Part, found, own_file, part

RULES = "/etc/udev/rules.d/60-rdma-persistent-naming.rules"
ADDED = 'ACTION=="add", SUBSYSTEM=="infiniband"'
NAMED = "raceway_rdma_named"
WHY = "names move with slots, drivers and kernels; lists of devices must not"


def naming(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of the rule and of the devices' names."""
    named = [device for device in desired.devices if device.name]
    file = own_file(RULES, text(desired), facts, WHY)
    rows: List[Outcome] = []
    for device, shown in found(desired, facts):
        if device.name and shown.name == device.name:
            rows.append(Noop(device.label, f"is called {shown.name}, as declared"))
        elif device.name and any(row.startswith(f"{device.name} (") for row in facts.present):
            reason = f"{shown.name} is to be {device.name}, which another device is called now; udev names both at boot"
            rows.append(Reboot(device.label, reason))
        elif device.name:
            rows.append(_rename(device, shown.name))
    if file.steps and desired.naming and len(facts.present) > len(named):
        rows.append(Reboot("device names", "devices are named when their driver adds them: at the next boot or reload"))
    return part(rows, [f"name {device.label}" for device in named], file)


def text(desired: RdmaDesired) -> str:
    """Return the rule file, empty where nothing is declared about names."""
    named = [device for device in desired.devices if device.name]
    if not named and not desired.naming:
        return ""
    policy = NAMING[desired.naming or "fallback"]
    fixed = [
        f'{ADDED}, {_match(device)}, PROGRAM="rdma_rename %k NAME_FIXED {device.name}", GOTO="{NAMED}"'
        for device in named
    ]
    return render("rdma", [*fixed, f'{ADDED}, PROGRAM="rdma_rename %k {policy}"', f'LABEL="{NAMED}"'])


def _match(device: Device) -> str:
    return f'KERNELS=="{device.value}"' if device.by == PCI else f'ATTR{{node_guid}}=="{device.value}"'


def _rename(device: Device, now: str) -> Step:
    args = {"key": f"name {device.label}", "before": now, "old": now, "new": device.name}
    what = f"call {now} ({device.label}) {device.name}"
    why = f"{WHY}; what runs keeps its device, what starts looks for the name"
    return Step("rdma_name", device.label, what, why, DISRUPTIVE, f"call it {now} again", now, device.name, args)

"""The subnet manager: one runs somewhere in a managed fabric and none here, or opensm runs here because it is declared.

A second manager takes routes away from the first, so one that runs undeclared is refused and never stopped by raceway.
It deliberately starts none where no declared device has an InfiniBand port.
"""

from __future__ import annotations

from typing import List

from ..facts.rdma import INFINIBAND, RdmaFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join
from ..model.rdma import MANAGED, OPENSM, RdmaDesired
from .dropin import render
from .rdma_part import Outcome, Part, found, own_file, part

TARGET = KEY = "opensm"
CONFIG = "/etc/opensm/opensm.conf"
PARTITIONS = "/etc/opensm/partitions.conf"
ENABLED = ("enabled", "alias")
WHY = "this node is declared the subnet manager of its fabric"


def subnet(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of the manager's files and unit, or what is wrong with a managed fabric."""
    own = desired.subnet_manager == OPENSM
    options = [f"{name} {value}" for name, value in desired.opensm.items()] if own else []
    partitions = list(desired.partitions) if own else []
    files = [
        own_file(CONFIG, render("rdma", options), facts, WHY),
        own_file(PARTITIONS, render("rdma", partitions), facts, WHY),
    ]
    if desired.subnet_manager == MANAGED:
        return part(_managed(desired, facts), (), *files)
    if not own:
        return part([], (), *files)
    layers = {port.link_layer for _, shown in found(desired, facts) for port in shown.ports}
    if INFINIBAND not in layers:
        act = "set rdma_subnet_manager to managed or leave it empty; on Ethernet there is nothing to manage"
        reason = f"no declared device has an InfiniBand port (found: {', '.join(sorted(layers)) or 'no device'})"
        return part([Refusal(TARGET, reason, act)], [KEY])
    return part(_opensm(facts, join(files)), [KEY], *files)


def _managed(desired: RdmaDesired, facts: RdmaFacts) -> List[Outcome]:
    rows: List[Outcome] = []
    if facts.opensm is None:
        act = "run this where systemd is process 1"
        rows.append(Refusal(TARGET, "systemd does not tell whether an opensm runs here", act))
    elif facts.opensm:
        act = "systemctl disable --now opensm, or declare rdma_subnet_manager: opensm"
        rows.append(Refusal(TARGET, "an opensm runs here, and the fabric is declared as managed elsewhere", act))
    else:
        rows.append(Noop(TARGET, "none runs here, as in a fabric that is managed elsewhere"))
    for device, shown in found(desired, facts):
        for port in shown.ports:
            if port.link_layer == INFINIBAND and port.state == "INIT" and not port.sm_lid:
                reason = f"port {port.port} of {shown.name} waits in INIT: no subnet manager answers"
                rows.append(Refusal(device.label, reason, "look at the fabric's manager (UFM, or opensm on its node)"))
    return rows


def _opensm(facts: RdmaFacts, files: Plan) -> List[Outcome]:
    enabled = facts.opensm_enabled in ENABLED
    if facts.opensm and enabled and not files.steps:
        return [Noop(TARGET, "runs, and starts at boot")]
    before = {"active": bool(facts.opensm), "enabled": enabled}
    restart = bool(facts.opensm and files.steps)
    what = "restart opensm" if restart else "run opensm, now and at boot"
    risk = DISRUPTIVE if restart else SAFE
    args = {"key": KEY, "before": before, "restart": restart}
    shown = f"{'active' if facts.opensm else 'inactive'}, {facts.opensm_enabled or 'no such unit'}"
    undo = "the unit's former state"
    return [Step("rdma_opensm", TARGET, what, WHY, risk, undo, shown, "active, enabled", args)]

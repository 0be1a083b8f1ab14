"""Whether network namespaces share RDMA devices: ib_core's option for the boot, and the mode in force now.

Pods with a shared device plugin need ``shared`` and do not start otherwise; isolation by SR-IOV needs ``exclusive``.
The kernel changes the mode only while no other network namespace exists, so on a node of pods it waits for a boot.
It deliberately ends no namespace to get its way.
"""

from __future__ import annotations

from typing import List

from ..facts.rdma import ABSENT, INSIDE, RdmaFacts
from ..model.plan import SAFE, Noop, Reboot, Refusal, Step
from ..model.rdma import NETNS_OPTION, SHARED, RdmaDesired
from .dropin import render
from .rdma_part import Outcome, Part, own_file, part

OPTIONS = "/etc/modprobe.d/raceway-rdma.conf"
KEY = TARGET = "netns"
SHOWN = 3  # holders named in a reason; a node of pods has hundreds


def netns(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of the option file and of the mode in force."""
    mode = desired.netns
    option = f"ib_core netns_mode={NETNS_OPTION.get(mode, '')}"
    builtin = facts.ib_core == INSIDE
    text = render("rdma", [f"options {option}"]) if mode and not builtin else ""
    why = "ib_core has the mode it was loaded with, and a boot loads it anew"
    rows: List[Outcome] = []
    if mode and builtin and mode != SHARED:
        act = f"declare ib_core.netns_mode={NETNS_OPTION[mode]} in kernel_cmdline"
        rows.append(Refusal(TARGET, "ib_core is built into this kernel, modprobe.d does not reach it", act))
    elif mode:
        rows.append(_now(desired, facts))
    return part(rows, [KEY] if mode else [], own_file(OPTIONS, text, facts, why))


def _now(desired: RdmaDesired, facts: RdmaFacts) -> Outcome:
    mode = desired.netns
    if facts.ib_core == ABSENT:
        if not desired.modules:
            return Noop(TARGET, "ib_core is not loaded: the option decides as soon as it is")
        return step(mode, "", "the modules of RDMA are about to be loaded")
    if facts.netns == mode:
        return Noop(TARGET, f"the kernel shows {mode}")
    if not facts.netns:
        reason = f"the mode cannot be read: {facts.netns_problem or 'rdma system show says nothing'}"
        return Refusal(TARGET, reason, "see `rdma system show` on the node; iproute2 brings it")
    if facts.namespaces:
        more = len(facts.namespaces) - SHOWN
        holders = ", ".join(facts.namespaces[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        reason = f"it is {facts.netns}, {mode} is declared; the kernel changes it only without other network namespaces"
        return Reboot(TARGET, f"{reason} ({holders})")
    return step(mode, facts.netns, "pods get devices in one of two ways, and each needs its own mode")


def step(mode: str, now: str, why: str) -> Step:
    """Return the step that sets the mode in force."""
    args = {"key": KEY, "before": now or SHARED, "mode": mode}
    undo = f"rdma system set netns {now or SHARED}"
    return Step("rdma_netns", TARGET, f"set the namespace mode of RDMA to {mode}", why, SAFE, undo, now, mode, args)

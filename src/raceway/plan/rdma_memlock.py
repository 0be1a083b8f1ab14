"""Locked memory of container runtimes and schedulers: a drop-in for their next start, and the limit of what runs now.

RDMA pins the memory it registers. Limits of logins do not reach services, and containers have those of the daemon that
starts them. A running daemon is given the limit without a restart; it hands it on to what it starts from then on.
"""

from __future__ import annotations

from typing import List

from ..facts.rdma import RdmaFacts, UnitMemlock
from ..facts.rdma_memlock import UNLIMITED
from ..model.plan import SAFE, Noop, Plan, Refusal, Step
from ..model.rdma import RdmaDesired
from .dropin import plan_file, render
from .rdma_part import Outcome, Part, part

FOLDER, LEAF = "/etc/systemd/system/", "90-raceway-memlock.conf"
TEXT = render("rdma", ["[Service]", "LimitMEMLOCK=infinity"])
WHY = "RDMA pins memory, and containers may lock what their runtime may (ai4d-iasc/trixie#81)"


def drop_in(unit: str) -> str:
    """Return where our drop-in of a unit stands.

    >>> drop_in("containerd.service")
    '/etc/systemd/system/containerd.service.d/90-raceway-memlock.conf'
    """
    return f"{FOLDER}{unit}.d/{LEAF}"


def memlock(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of all declared units, and of drop-ins whose unit is no longer declared."""
    plans: List[Plan] = []
    rows: List[Outcome] = []
    kept = set()
    for unit in desired.memlock:
        state = facts.memlock.get(unit, UnitMemlock())
        if not state.exists:
            rows.append(Noop(unit, "is not on this node"))
            continue
        kept.add(drop_in(unit))
        plans.append(plan_file(drop_in(unit), TEXT, state.file, WHY))
        rows.append(_now(unit, state, desired.platform))
    gone = [path for path in sorted(facts.owned_files) if path.endswith(f"/{LEAF}") and path not in kept]
    plans += [plan_file(path, "", TEXT, WHY) for path in gone]
    return part(rows, (), *plans)


def _now(unit: str, state: UnitMemlock, platform: str) -> Outcome:
    if not state.pid:
        return Noop(unit, "does not run: its next start has the limit")
    if state.soft == UNLIMITED:
        return Noop(unit, f"process {state.pid} may lock any amount of memory")
    if platform == "container":
        return Noop(unit, f"process {state.pid} may lock {state.soft or '?'} bytes: a container's host decides")
    if not state.soft:
        return Refusal(unit, f"/proc/{state.pid}/limits cannot be read", "run as root (become: true)")
    args = {"unit": unit, "pid": state.pid}
    what = f"let process {state.pid} of {unit} lock any amount of memory"
    undo = f"restart {unit} without the drop-in"
    return Step("rdma_memlock", unit, what, WHY, SAFE, undo, state.soft, UNLIMITED, args)

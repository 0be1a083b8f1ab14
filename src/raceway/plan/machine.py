"""Compares what a machine is with what the inventory says it is. There are no steps: hardware is not converged.

It deliberately never adopts what it finds: a missing DIMM or GPU must be seen, not become the new declaration.
"""

from __future__ import annotations

from typing import List, Union

from ..facts.machine import MachineFacts
from ..model.machine import MachineDesired
from ..model.plan import Noop, Plan, Refusal, sort

KIB_PER_GIB = 2**20
MEMORY_TOLERANCE = 0.05  # firmware, crash kernel and page tables take 1-4 % of what the modules' labels add up to
MEMORY_SLACK_GIB = 0.25  # a small virtual machine loses a fixed amount rather than a share
_Outcome = Union[Noop, Refusal]


def plan(desired: MachineDesired, facts: MachineFacts) -> Plan:
    """Return a refusal for each declared number that the machine does not show, a noop for each that it does."""
    if desired.platform == "container":
        outcomes = [Noop("machine", "a container shows its host's hardware: nothing to compare")]
        found: List[_Outcome] = [*outcomes, _python(desired, facts)]
    else:
        found = [
            _count("cpus", desired.cpus, facts.cpus, "node_cpus", "a socket, core or SMT setting differs"),
            _memory(desired, facts),
            _accelerators(desired, facts),
            _ports(desired, facts),
            _python(desired, facts),
        ]
    return sort(found)


def _count(target: str, declared: int, found: int, variable: str, hint: str, seen: str = "") -> _Outcome:
    if declared <= 0:
        return Noop(target, f"not checked: {variable} declares none")
    if declared == found:
        return Noop(target, f"{found} as declared")
    reason = f"{declared} declared, {found} found" + (f" ({seen})" if seen else "")
    return Refusal(target, reason, f"mend the machine ({hint}), or correct {variable}")


def _memory(desired: MachineDesired, facts: MachineFacts) -> _Outcome:
    declared, found = desired.memory_gib, facts.memory_kib / KIB_PER_GIB
    if declared <= 0:
        return Noop("memory", "not checked: node_memory_gib declares none")
    allowed = max(declared * MEMORY_TOLERANCE, MEMORY_SLACK_GIB)
    if abs(declared - found) <= allowed:
        return Noop("memory", f"{found:.1f} of {declared} GiB declared: firmware and kernel keep the rest")
    return Refusal(
        "memory",
        f"{declared} GiB declared, {found:.1f} GiB found (more than {allowed:.1f} GiB apart)",
        "mend the machine (a memory module is missing or disabled), or correct node_memory_gib",
    )


def _accelerators(desired: MachineDesired, facts: MachineFacts) -> _Outcome:
    kind = desired.accelerator_kind
    if kind in ("", "none") or desired.accelerator_count <= 0:
        return Noop("accelerators", "not checked: node_accelerator_count declares none")
    others = {name: count for name, count in facts.accelerators.items() if name != kind}
    seen = ", ".join(f"{count} of {name}" for name, count in sorted(others.items()))
    found = facts.accelerators.get(kind, 0)
    hint = f"a {kind} card fell off the bus or is powered off"
    return _count("accelerators", desired.accelerator_count, found, "node_accelerator_count", hint, seen)


def _ports(desired: MachineDesired, facts: MachineFacts) -> _Outcome:
    hint = "a card is missing, or its RDMA driver is not loaded"
    seen = ", ".join(facts.rdma_ports)
    return _count("rdma ports", desired.rdma_ports, len(facts.rdma_ports), "node_rdma_ports", hint, seen)


def _python(desired: MachineDesired, facts: MachineFacts) -> _Outcome:
    if not desired.python_min:
        return Noop("python", "not checked: no least version is declared")
    least = tuple(int(part) for part in desired.python_min.split("."))
    found = ".".join(str(part) for part in facts.python)
    if facts.python >= least:
        return Noop("python", f"{found} is at least {desired.python_min}")
    act = "install a newer Python and set ansible_python_interpreter to it"
    return Refusal("python", f"{desired.python_min} or newer needed, {found} found", act)

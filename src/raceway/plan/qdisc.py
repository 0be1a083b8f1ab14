"""Plans the queueing discipline of interfaces that are up already; the next boot is net.core.default_qdisc's business.

A multiqueue root passes when each of its children is of the declared kind. It deliberately never replaces a
discipline that someone configured (htb, ets, tbf …): that would throw away classes and filters.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple, Union

from ..facts.qdisc import Link, Qdisc, QdiscFacts
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, sort
from ..model.qdisc import KERNEL_DEFAULTS, MULTIQUEUE, QdiscDesired

LASTS = "after a boot, and for interfaces that come later, net.core.default_qdisc decides"
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: QdiscDesired, facts: QdiscFacts) -> Plan:
    """Return what makes every declared or default-route interface use the declared discipline."""
    if facts.problem:
        act = "install iproute2 and run again"
        return Plan(refusals=(Refusal("qdisc", f"interfaces cannot be read: {facts.problem}", act),))
    targets = _targets(desired, facts)
    outcomes: List[_Outcome] = []
    if desired.kind and not facts.has_kind:
        outcomes.append(_no_kind(desired))
        targets = ()
    elif desired.kind and desired.default_route and not facts.default_routes:
        outcomes.append(Noop("qdisc", "no interface carries a default route"))
    outcomes += [_interface(name, desired, facts) for name in targets]
    outcomes += [_restore(name, facts) for name in sorted(facts.owned) if name not in targets]
    return sort(outcomes)


def _targets(desired: QdiscDesired, facts: QdiscFacts) -> Tuple[str, ...]:
    if not desired.kind:
        return ()
    return tuple(dict.fromkeys([*desired.interfaces, *facts.default_routes]))


def _no_kind(desired: QdiscDesired) -> Union[Noop, Refusal]:
    if desired.platform == "container":
        return Noop("qdisc", f"the kernel this container runs on has no sch_{desired.kind}: a container brings none")
    return Refusal("qdisc", f"this kernel has no sch_{desired.kind}", f"add sch_{desired.kind} to kernel_modules")


def _interface(name: str, desired: QdiscDesired, facts: QdiscFacts) -> _Outcome:
    link, root, declared = facts.links.get(name), facts.roots.get(name), name in desired.interfaces
    if link is None or root is None:
        return Refusal(name, "there is no such interface", "check the name in kernel_qdisc_interfaces")
    if holds(root, desired.kind):
        return Noop(name, f"is {root.summary} already")
    obstacle = _obstacle(name, link, root, declared)
    if obstacle:
        return obstacle
    why = f"it {'is declared' if declared else 'carries a default route'}; {LASTS}"
    what = f"replace {root.summary} of {name} by {_goal(root, desired.kind)}"
    undo = f"tc qdisc: {root.summary} again (options someone gave it are not kept)"
    args = {"dev": name, "kind": desired.kind, "original": original(root)}
    return Step("qdisc", name, what, why, DISRUPTIVE, undo, root.summary, _goal(root, desired.kind), args)


def _obstacle(name: str, link: Link, root: Qdisc, declared: bool) -> Optional[Union[Noop, Refusal]]:
    if root.kind == "noqueue" and link.virtual and not declared:
        return Noop(name, "has no queue of its own (noqueue): a virtual interface hands packets on at once")
    if not link.up:
        return Refusal(name, "the interface is down, its queues are not set up", f"bring {name} up and run again")
    if root.kind not in KERNEL_DEFAULTS and root.kind not in MULTIQUEUE:
        act = f"tc qdisc del dev {name} root, or leave {name} out of kernel_qdisc_interfaces"
        return Refusal(name, f"carries {root.kind}, which someone configured: classes and filters would be lost", act)
    foreign = sorted({kind for _, kind in root.children if kind not in KERNEL_DEFAULTS})
    if foreign:
        act = f"remove {', '.join(foreign)} from {name}, or leave {name} out of kernel_qdisc_interfaces"
        return Refusal(name, f"queues of {name} carry {', '.join(foreign)}, which someone configured", act)
    return None


def holds(root: Qdisc, kind: str) -> bool:
    """Tell whether an interface uses the kind: as its root, or as every child of a multiqueue root."""
    if root.kind in MULTIQUEUE and kind not in MULTIQUEUE:
        return bool(root.children) and all(child == kind for _, child in root.children)
    return root.kind == kind


def original(root: Qdisc) -> Dict[str, str]:
    """Return what the ledger keeps of a root: its kind and its children's (the first one's, if they differ)."""
    return {"kind": root.kind, "child": root.children[0][1] if root.children else ""}


def _goal(root: Qdisc, kind: str) -> str:
    return f"{root.kind} of {kind}" if root.kind in MULTIQUEUE else kind


def _restore(name: str, facts: QdiscFacts) -> _Outcome:
    was, root = facts.owned[name], facts.roots.get(name)
    args = {"dev": name, "original": was}
    text = f"{was['kind']} of {was['child']}" if was["child"] else was["kind"]
    why = "it is no longer declared, the interface gets back what raceway found"
    if root is None or original(root) == was:
        what = f"forget {name}: {'it is gone' if root is None else f'it is {text} again'}"
        return Step("qdisc_forget", name, what, why, SAFE, f"declare {name} again", "", "", args)
    what, undo = f"give {name} back its {text}", f"declare {name} again"
    return Step("qdisc_restore", name, what, why, DISRUPTIVE, undo, root.summary, text, args)

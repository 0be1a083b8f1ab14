"""Volcano queues as a checked tree: shares add up, names and resources are right, before the API is asked.

The admission webhook checks one queue at a time against what is stored, and the capacity plugin stops scheduling a
tree it finds inconsistent; here the whole tree is looked at once. It deliberately never makes ``root`` or ``default``:
those are Volcano's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from raceway.cluster.names import check_name, check_resources
from raceway.cluster.problems import Problem, nearest
from raceway.cluster.quantity import Amounts, add, amounts, parse, show

API_VERSION = "scheduling.volcano.sh/v1beta1"
ROOT = "root"
OWN_QUEUES = (ROOT, "default")
MAX_DEPTH = 5  # vc-webhook-manager --max-queue-depth
DEQUEUE_STRATEGIES = ("traverse", "fifo")
_SHARES = ("capability", "deserved", "guarantee")


@dataclass(frozen=True)
class Queue:
    """One queue. capability ≥ deserved ≥ guarantee, per resource; a resource left out is unlimited / not promised."""

    name: str
    parent: str = ROOT
    weight: int = 1
    priority: int = 0
    reclaimable: bool = True
    dequeue_strategy: str = "traverse"
    capability: Mapping[str, str] = field(default_factory=dict)
    deserved: Mapping[str, str] = field(default_factory=dict)
    guarantee: Mapping[str, str] = field(default_factory=dict)

    def manifest(self) -> dict[str, Any]:
        """Return the API object; every field is written out, so drift in any of them is seen."""
        spec: dict[str, Any] = {
            "parent": self.parent,
            "weight": self.weight,
            "priority": self.priority,
            "reclaimable": self.reclaimable,
            "dequeueStrategy": self.dequeue_strategy,
        }
        if self.capability:
            spec["capability"] = dict(sorted(self.capability.items()))
        if self.deserved:
            spec["deserved"] = dict(sorted(self.deserved.items()))
        if self.guarantee:
            spec["guarantee"] = {"resource": dict(sorted(self.guarantee.items()))}
        return {"apiVersion": API_VERSION, "kind": "Queue", "metadata": {"name": self.name}, "spec": spec}


def ordered(queues: Sequence[Queue]) -> list[Queue]:
    """Return parents before children (the webhook refuses a child whose parent is not there yet)."""
    by_parent: dict[str, list[Queue]] = {}
    for queue in queues:
        by_parent.setdefault(queue.parent, []).append(queue)
    out: list[Queue] = []
    level = by_parent.get(ROOT, [])
    while level:
        out += level
        level = [child for queue in level for child in by_parent.get(queue.name, [])]
    return out


def leafs(queues: Sequence[Queue]) -> list[Queue]:
    """Return the queues that may take jobs: those no other queue names as parent."""
    parents = {queue.parent for queue in queues}
    return [queue for queue in queues if queue.name not in parents]


def ancestors(queue: Queue, queues: Sequence[Queue]) -> list[Queue]:
    """Return the declared queues above, nearest first (``root`` is not one of them)."""
    by_name = {one.name: one for one in queues}
    chain: list[Queue] = []
    above = by_name.get(queue.parent)
    while above is not None and above not in chain:
        chain.append(above)
        above = by_name.get(above.parent)
    return chain


def limit(queue: Queue, queues: Sequence[Queue]) -> dict[str, tuple[Fraction, str]]:
    """Return resource → (smallest capability on the way to the root, the queue that sets it)."""
    found: dict[str, tuple[Fraction, str]] = {}
    for one in (queue, *ancestors(queue, queues)):
        for name, number in amounts(one.capability).items():
            if name not in found or number < found[name][0]:
                found[name] = (number, one.name)
    return found


def check_queues(queues: Sequence[Queue], offered: Iterable[str], total: Amounts) -> list[Problem]:
    """Return everything wrong with the tree; ``total`` is what the declared machines have together."""
    offered = list(offered)
    found: list[Problem] = []
    for index, queue in enumerate(queues):
        found += _check_one(queue, offered)
        if queue.name in {one.name for one in queues[:index]}:
            found.append(Problem(f"queue {queue.name}", "declared twice", "each queue once", "rename or remove one"))
    found += _check_tree(queues)
    if found:
        return found  # sums over a broken tree or unreadable numbers would only repeat the cause
    for queue in queues:
        found += _check_order(queue) + _check_below_ancestors(queue, queues)
    return found + _check_sums(queues, total)


def _check_one(queue: Queue, offered: Iterable[str]) -> list[Problem]:
    place = f"queue {queue.name}"
    found = check_name(place, queue.name)
    if queue.name in OWN_QUEUES:
        act = "leave it to Volcano and declare a queue of another name"
        found.append(Problem(place, "Volcano's own queue", "any other name", act))
    if queue.weight < 1:
        found.append(Problem(f"{place} weight", str(queue.weight), "1 or more", "set a weight"))
    if queue.priority < 0:
        found.append(Problem(f"{place} priority", str(queue.priority), "0 or more", "set a priority"))
    if queue.dequeue_strategy not in DEQUEUE_STRATEGIES:
        allowed = " or ".join(DEQUEUE_STRATEGIES)
        found.append(Problem(f"{place} dequeue_strategy", repr(queue.dequeue_strategy), allowed, "choose one"))
    for share in _SHARES:
        quantities: Mapping[str, str] = getattr(queue, share)
        found += check_resources(f"{place} {share}", quantities, offered)
        for name, value in quantities.items():
            found += _check_quantity(f"{place} {share}.{name}", value)
    return found


def _check_quantity(place: str, value: str) -> list[Problem]:
    try:
        number = parse(value)
    except ValueError as error:
        return [Problem(place, str(error), "a quantity", "correct the number")]
    return [] if number >= 0 else [Problem(place, str(value), "0 or more", "correct the number")]


def _check_tree(queues: Sequence[Queue]) -> list[Problem]:
    by_name = {queue.name: queue for queue in queues}
    found: list[Problem] = []
    for queue in queues:
        place = f"queue {queue.name} parent"
        if queue.parent != ROOT and queue.parent not in by_name:
            known = sorted({ROOT, *by_name})
            act = nearest(queue.parent, known) or "declare the parent queue"
            found.append(Problem(place, repr(queue.parent), ", ".join(known), act))
            continue
        way = [queue.name]
        above = queue.parent
        while above in by_name and above not in way:
            way.append(above)
            above = by_name[above].parent
        if above in way:
            found.append(Problem(place, " → ".join([*way, above]), "a tree that ends at root", "break the circle"))
        elif len(way) > MAX_DEPTH:
            found.append(Problem(place, f"{len(way)} levels", f"at most {MAX_DEPTH} below root", "flatten the tree"))
    return found


def _check_order(queue: Queue) -> list[Problem]:
    found: list[Problem] = []
    capability, deserved, guarantee = (amounts(getattr(queue, share)) for share in _SHARES)
    for name, number in guarantee.items():
        if number > deserved.get(name, Fraction(0)):
            has = show(deserved[name], name) if name in deserved else "no deserved"
            text = f"guarantee {show(number, name)} above {has if name not in deserved else 'deserved ' + has}"
            act = "raise deserved or lower guarantee"
            found.append(Problem(f"queue {queue.name} {name}", text, "capability ≥ deserved ≥ guarantee", act))
    for name, number in deserved.items():
        if name in capability and number > capability[name]:
            text = f"deserved {show(number, name)} above capability {show(capability[name], name)}"
            act = "raise capability or lower deserved"
            found.append(Problem(f"queue {queue.name} {name}", text, "capability ≥ deserved ≥ guarantee", act))
    return found


def _check_below_ancestors(queue: Queue, queues: Sequence[Queue]) -> list[Problem]:
    found: list[Problem] = []
    for name, number in amounts(queue.capability).items():
        for above in ancestors(queue, queues):
            if name in above.capability and number > parse(above.capability[name]):
                text = (
                    f"capability {show(number, name)} above {show(parse(above.capability[name]), name)} of {above.name}"
                )
                act = f"lower it, or raise {above.name}"
                found.append(Problem(f"queue {queue.name} {name}", text, "at most the ancestor's capability", act))
                break
    return found


def _check_sums(queues: Sequence[Queue], total: Amounts) -> list[Problem]:
    found: list[Problem] = []
    for parent in (None, *queues):
        children = [queue for queue in queues if queue.parent == (parent.name if parent else ROOT)]
        for share in ("deserved", "guarantee"):
            needed = add(*(amounts(getattr(child, share)) for child in children))
            have: Amounts = amounts(getattr(parent, share)) if parent else total
            for name, number in needed.items():
                if parent is None and name not in total:
                    continue  # the inventory does not say how much there is
                allowed = have.get(name, Fraction(0))
                if number > allowed:
                    owner = f"queue {parent.name}" if parent else "cluster"
                    text = f"{share} of {', '.join(c.name for c in children)} adds up to {show(number, name)}"
                    limit_text = f"at most {show(allowed, name)} ({owner})"
                    found.append(Problem(f"{owner} {name}", text, limit_text, "lower the children or raise the parent"))
    return found


def draw(queues: Sequence[Queue]) -> list[str]:
    """Return the tree as lines of text, each queue with its shares."""
    lines = [ROOT]

    def below(name: str, indent: str) -> None:
        children = [queue for queue in queues if queue.parent == name]
        for index, queue in enumerate(children):
            last = index == len(children) - 1
            lines.append(f"{indent}{'└─ ' if last else '├─ '}{queue.name}  {_shares(queue)}".rstrip())
            below(queue.name, indent + ("   " if last else "│  "))

    below(ROOT, "")
    return lines


def _shares(queue: Queue) -> str:
    parts = [f"weight {queue.weight}"]
    for share in _SHARES:
        quantities: Mapping[str, str] = getattr(queue, share)
        if quantities:
            parts.append(f"{share} " + " ".join(f"{name}={value}" for name, value in sorted(quantities.items())))
    return "  ".join(parts)

"""HyperNodes: the fabric's leafs, spines and whole, as Volcano's topology scheduling wants them.

Members are named exactly or by an anchored pattern, so that ``node-1`` never takes ``node-10``. It deliberately refuses
what the API server stores and the scheduler then sees as an empty group (volcano#3974, #3878).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from raceway.cluster.names import check_labels, check_name, is_name
from raceway.cluster.problems import Problem
from raceway.model.machine import Machine

API_VERSION = "topology.volcano.sh/v1alpha1"
TIER_LEAF, TIER_SPINE, TIER_FABRIC = 1, 2, 3
TIER_NAMES = {TIER_LEAF: "leaf", TIER_SPINE: "spine", TIER_FABRIC: "fabric"}
MEMBER_TYPES = ("Node", "HyperNode")
SELECTORS = ("exact", "regex")
# Go's regexp is RE2: no look-around, no back-references. Python would accept them, the scheduler would not.
_NOT_RE2 = re.compile(r"\(\?(?:[=!]|<[=!]|P=|>)|\\[1-9]")


@dataclass(frozen=True)
class Member:
    """One member; exactly one of exact, regex, labels is set."""

    type: str
    exact: str = ""
    regex: str = ""
    labels: dict[str, str] = field(default_factory=dict)

    def selector(self) -> dict[str, Any]:
        """Return ``spec.members[].selector``."""
        if self.exact:
            return {"exactMatch": {"name": self.exact}}
        if self.regex:
            return {"regexMatch": {"pattern": self.regex}}
        return {"labelMatch": {"matchLabels": dict(self.labels)}}


@dataclass(frozen=True)
class HyperNode:
    """One group of the fabric. A lower tier is a shorter way between its members."""

    name: str
    tier: int
    members: tuple[Member, ...]
    tier_name: str = ""

    def manifest(self) -> dict[str, Any]:
        """Return the API object."""
        spec: dict[str, Any] = {"tier": self.tier}
        if self.tier_name:
            spec["tierName"] = self.tier_name
        spec["members"] = [{"type": member.type, "selector": member.selector()} for member in self.members]
        return {"apiVersion": API_VERSION, "kind": "HyperNode", "metadata": {"name": self.name}, "spec": spec}


def natural(text: str) -> list[tuple[int, int, str]]:
    """Sort key that puts ``node-2`` before ``node-10``."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]


def anchored(names: Iterable[str]) -> str:
    """Return a pattern that matches these names and nothing else.

    >>> anchored(["node-1", "node-2.lab"])
    '^(?:node-1|node-2\\\\.lab)$'
    """
    return "^(?:" + "|".join(re.escape(name).replace(r"\-", "-") for name in sorted(names, key=natural)) + ")$"


def from_machines(machines: Sequence[Machine], selector: str = "exact") -> tuple[HyperNode, ...]:
    """Return leaf, spine and whole-fabric HyperNodes of the machines that declare a leaf; none declared, none made."""
    leafs = _grouped((machine.leaf, machine.name) for machine in machines)
    if not leafs:
        return ()
    spines = _grouped((machine.spine, leaf_name(machine.leaf)) for machine in machines if machine.leaf)
    placed = {name for group in spines.values() for name in group}
    tops = [spine_name(spine) for spine in spines] + [
        leaf_name(leaf) for leaf in leafs if leaf_name(leaf) not in placed
    ]
    loose = sorted((machine.name for machine in machines if not machine.leaf), key=natural)
    made = [HyperNode(leaf_name(leaf), TIER_LEAF, _nodes(nodes, selector), "leaf") for leaf, nodes in leafs.items()]
    made += [HyperNode(spine_name(s), TIER_SPINE, _hypernodes(group), "spine") for s, group in spines.items()]
    whole = (*_hypernodes(tops), *_nodes(loose, selector))
    return (*made, HyperNode("fabric", TIER_FABRIC, whole, "fabric"))


def leaf_name(leaf: str) -> str:
    """Return the HyperNode name of a leaf switch."""
    return leaf if leaf.startswith("leaf") else f"leaf-{leaf}"


def spine_name(spine: str) -> str:
    """Return the HyperNode name of a spine."""
    return spine if spine.startswith("spine") else f"spine-{spine}"


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, set[str]] = {}
    for group, member in pairs:
        if group:
            groups.setdefault(group, set()).add(member)
    return {name: sorted(groups[name], key=natural) for name in sorted(groups, key=natural)}


def _nodes(names: Sequence[str], selector: str) -> tuple[Member, ...]:
    if selector == "regex" and names:
        return (Member("Node", regex=anchored(names)),)
    return tuple(Member("Node", exact=name) for name in names)


def _hypernodes(names: Iterable[str]) -> tuple[Member, ...]:
    return tuple(Member("HyperNode", exact=name) for name in sorted(names, key=natural))


def check_leafs(machines: Sequence[Machine]) -> list[Problem]:
    """Return a problem for a leaf that its machines put under two spines: the tree would have two parents."""
    above: dict[str, dict[str, str]] = {}
    for machine in machines:
        if machine.leaf:
            above.setdefault(machine.leaf, {}).setdefault(machine.spine, machine.name)
    return [
        Problem(
            f"leaf {leaf}",
            "under " + " and ".join(f"spine {spine or '(none)'} ({host})" for spine, host in sorted(spines.items())),
            "one spine (or pod) above a leaf",
            "declare the same node_spine on all hosts of the leaf",
        )
        for leaf, spines in sorted(above.items())
        if len(spines) > 1
    ]


def check_hypernodes(hypernodes: Sequence[HyperNode], nodes: Iterable[str]) -> list[Problem]:
    """Return everything wrong with these HyperNodes, each problem naming the HyperNode and the member."""
    known_nodes = sorted(set(nodes), key=natural)
    found: list[Problem] = []
    names = {hypernode.name: hypernode.tier for hypernode in hypernodes}
    if len(names) != len(hypernodes):
        twice = sorted({h.name for h in hypernodes if sum(o.name == h.name for o in hypernodes) > 1})
        found.append(Problem(f"HyperNode {', '.join(twice)}", "declared twice", "each once", "rename or remove one"))
    for hypernode in hypernodes:
        place = f"HyperNode {hypernode.name}"
        found += check_name(place, hypernode.name)
        if hypernode.tier < 1:
            found.append(Problem(f"{place} tier", str(hypernode.tier), "1 or more", "set the tier"))
        if not hypernode.members:
            found.append(Problem(f"{place} members", "none", "at least one member", "add members or remove it"))
        for index, member in enumerate(hypernode.members):
            found += _check_member(f"{place} member {index}", hypernode, member, names, known_nodes)
    return found + _check_one_leaf_each(hypernodes, known_nodes)


def _check_member(
    place: str, hypernode: HyperNode, member: Member, tiers: dict[str, int], nodes: Sequence[str]
) -> list[Problem]:
    set_ones = [
        key for key, value in (("exact", member.exact), ("regex", member.regex), ("labels", member.labels)) if value
    ]
    if len(set_ones) != 1:
        found = " and ".join(set_ones) or "no selector"
        return [Problem(place, found, "exactly one of exact, regex, labels", "keep one selector")]
    if member.type not in MEMBER_TYPES:
        return [Problem(f"{place} type", repr(member.type), " or ".join(MEMBER_TYPES), "correct the type")]
    if member.regex:
        return _check_regex(place, member.regex, nodes if member.type == "Node" else list(tiers))
    if member.labels:
        return check_labels(place, member.labels)
    return _check_exact(place, hypernode, member, tiers, nodes)


def _check_exact(
    place: str, hypernode: HyperNode, member: Member, tiers: dict[str, int], nodes: Sequence[str]
) -> list[Problem]:
    if not is_name(member.exact):
        return [Problem(place, repr(member.exact), "a legal node or HyperNode name", "correct the name")]
    if member.type == "Node":
        known = member.exact in nodes
        return [] if known else [Problem(place, f"node {member.exact}", "a host of the inventory", "correct the name")]
    if member.exact not in tiers:
        return [Problem(place, f"HyperNode {member.exact}", "a declared HyperNode", "correct the name")]
    if tiers[member.exact] >= hypernode.tier:
        found = f"HyperNode {member.exact} of tier {tiers[member.exact]}"
        return [Problem(place, found, f"a tier below {hypernode.tier}", "correct one of the tiers")]
    return []


def _check_regex(place: str, pattern: str, names: Sequence[str]) -> list[Problem]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        return [Problem(place, f"pattern {pattern!r}: {error}", "a regular expression", "correct the pattern")]
    if _NOT_RE2.search(pattern):
        return [Problem(place, f"pattern {pattern!r}", "RE2: no look-around or back-reference", "rewrite the pattern")]
    if not (pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$")):
        act = f"write ^(?:{pattern.strip('^$')})$"
        return [Problem(place, f"pattern {pattern!r} also takes part of a name", "a pattern with ^ and $", act)]
    if not any(compiled.search(name) for name in names):
        return [Problem(place, f"pattern {pattern!r} matches nothing", "at least one member", "correct the pattern")]
    return []


def members_of(hypernode: HyperNode, nodes: Iterable[str]) -> list[str]:
    """Return the nodes that a HyperNode's Node members name (label selectors are not resolved: no labels are read)."""
    picked: list[str] = []
    for member in hypernode.members:
        if member.type != "Node":
            continue
        if member.exact:
            picked.append(member.exact)
        elif member.regex:
            picked += [name for name in nodes if re.search(member.regex, name)]
    return picked


def _check_one_leaf_each(hypernodes: Sequence[HyperNode], nodes: Sequence[str]) -> list[Problem]:
    owners: dict[str, list[str]] = {}
    for hypernode in hypernodes:
        if hypernode.tier != TIER_LEAF:
            continue
        try:
            for name in set(members_of(hypernode, nodes)):
                owners.setdefault(name, []).append(hypernode.name)
        except re.error:
            continue  # told above, by the member itself
    return [
        Problem(f"node {name}", f"in tier-1 HyperNodes {' and '.join(sorted(who))}", "one", "leave it in one of them")
        for name, who in sorted(owners.items(), key=lambda row: natural(row[0]))
        if len(who) > 1
    ]

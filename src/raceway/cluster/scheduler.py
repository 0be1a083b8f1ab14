"""The Volcano scheduler's configuration as typed data; combinations that cannot work are refused, then it is rendered.

The scheduler reads a bad file with a log line and goes on with the old one, so nobody sees it. It deliberately does not
merge with Volcano's built-in defaults: what is rendered is the whole configuration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raceway.cluster.catalogue import ACTIONS, FLAGS, PLUGINS, argument_type
from raceway.cluster.problems import Problem, nearest

_TYPE_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a map",
}
_TOPOLOGY_PLUGIN = "network-topology-aware"


@dataclass(frozen=True)
class Plugin:
    """One plugin entry; ``flags`` switch single callbacks (``enablePreemptable: false``)."""

    name: str
    flags: Mapping[str, bool] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SchedulerConf:
    """Actions in order, plugin tiers in order, arguments of actions."""

    actions: tuple[str, ...]
    tiers: tuple[tuple[Plugin, ...], ...]
    action_arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def plugin(self, name: str) -> Plugin | None:
        """Return the entry of a plugin, wherever it stands."""
        return next((plugin for tier in self.tiers for plugin in tier if plugin.name == name), None)


def training_conf(accelerators: Sequence[str] = ()) -> SchedulerConf:
    """Return the configuration raceway ships: gangs, a queue tree with reclaim, priorities with preemption, topology.

    Three choices differ from Volcano's examples. The second and third are shown on the real scheduler by
    tests/cluster/test_priority_volcano.py; the first is read from Session.Reclaimable:

    - ``capacity`` stands in the *first* tier: the first tier that names victims decides alone, and ``conformance``
      names every pod that is not critical, so a plugin of the second tier is not asked about victims.
    - ``gang`` does not veto eviction (preemptable and reclaimable off): otherwise no gang could ever be preempted. The
      job policy PodEvicted → RestartJob then restarts the gang as a whole.
    - nothing votes on ``enqueue`` by free room (no overcommit, capacity's vote off): a job that must preempt or reclaim
      needs its pods to exist while the cluster is full (volcano#4679, #4817).
    """
    weights: dict[str, Any] = {"binpack.weight": 5, "binpack.cpu": 1, "binpack.memory": 1}
    if accelerators:
        weights["binpack.resources"] = ", ".join(accelerators)
        weights.update({f"binpack.resources.{name}": 10 for name in accelerators})
    return SchedulerConf(
        actions=("enqueue", "allocate", "preempt", "reclaim", "backfill"),
        tiers=(
            (
                Plugin("priority"),
                Plugin("gang", {"enablePreemptable": False, "enableReclaimable": False}),
                Plugin("conformance"),
                Plugin("capacity", {"enableHierarchy": True, "enableJobEnqueued": False}),
            ),
            (
                Plugin("drf", {"enablePreemptable": False, "enableReclaimable": False}),
                Plugin("predicates"),
                Plugin("nodeorder"),
                Plugin("binpack", arguments=weights),
                Plugin(_TOPOLOGY_PLUGIN, arguments={"weight": 10}),
            ),
        ),
    )


def check_scheduler(conf: SchedulerConf, queue_tree: bool = False, shares: bool = False) -> list[Problem]:
    """Return what is wrong. ``queue_tree``: a queue has a parent; ``shares``: a queue has deserved or guarantee."""
    found = _check_actions(conf)
    names = [plugin.name for tier in conf.tiers for plugin in tier]
    for number, tier in enumerate(conf.tiers):
        for plugin in tier:
            found += _check_plugin(f"scheduler tier {number}", plugin)
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(Problem("scheduler tiers", f"plugin {name} twice", "each plugin once", "remove one of the two"))
    return found + _check_combinations(conf, set(names), queue_tree, shares)


def _check_actions(conf: SchedulerConf) -> list[Problem]:
    found: list[Problem] = []
    place = "scheduler actions"
    for action in conf.actions:
        if action not in ACTIONS:
            found.append(Problem(place, repr(action), ", ".join(ACTIONS), nearest(action, ACTIONS) or "remove it"))
    for action in sorted({action for action in conf.actions if conf.actions.count(action) > 1}):
        found.append(Problem(place, f"{action} twice", "each action once", "remove one of the two"))
    if "allocate" not in conf.actions:
        found.append(Problem(place, "no allocate", "a list with allocate", "add allocate: without it no pod is placed"))
    for action, arguments in conf.action_arguments.items():
        known = ACTIONS.get(action, {})
        if action not in conf.actions:
            found.append(Problem(f"scheduler action_arguments.{action}", "not among the actions", "", "add the action"))
            continue
        for name, value in arguments.items():
            place_argument = f"scheduler action_arguments.{action}.{name}"
            found += _check_argument(place_argument, value, known.get(name), name, known)
    return found


def _check_plugin(place: str, plugin: Plugin) -> list[Problem]:
    if plugin.name not in PLUGINS:
        return [
            Problem(place, f"plugin {plugin.name!r}", ", ".join(PLUGINS), nearest(plugin.name, PLUGINS) or "remove it")
        ]
    found: list[Problem] = []
    for flag, value in plugin.flags.items():
        if flag not in FLAGS:
            act = nearest(flag, FLAGS) or "remove it"
            found.append(Problem(f"{place} plugin {plugin.name}", f"flag {flag!r}", ", ".join(FLAGS), act))
        elif not isinstance(value, bool):
            found.append(
                Problem(f"{place} plugin {plugin.name} {flag}", repr(value), "true or false", "correct the value")
            )
    for name, value in plugin.arguments.items():
        kind = argument_type(plugin.name, name)
        found += _check_argument(f"{place} plugin {plugin.name} {name}", value, kind, name, PLUGINS[plugin.name])
    return found


def _check_argument(place: str, value: Any, kind: type | None, name: str, known: Mapping[str, type]) -> list[Problem]:
    if kind is None:
        return [
            Problem(place, "unknown argument", ", ".join(known) or "no arguments", nearest(name, known) or "remove it")
        ]
    number_for_float = kind is float and isinstance(value, int) and not isinstance(value, bool)
    good = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
    if good or number_for_float:
        return []
    return [Problem(place, f"{value!r}", _TYPE_WORDS[kind], "correct the value")]


def _check_combinations(conf: SchedulerConf, names: set[str], queue_tree: bool, shares: bool) -> list[Problem]:
    found: list[Problem] = []
    place = "scheduler tiers"
    if {"capacity", "proportion"} <= names:
        found.append(Problem(place, "capacity and proportion together", "one of them", "remove proportion"))
    if "capacity" in names and not {"reclaim", "gangreclaim"} & set(conf.actions):
        act = "add reclaim: without it a queue never gets its deserved share back"
        found.append(Problem("scheduler actions", "capacity without reclaim", "reclaim or gangreclaim", act))
    for tier in conf.tiers:
        for plugin in tier:
            if plugin.flags.get("enableHierarchy") and plugin.name not in ("capacity", "drf"):
                found.append(
                    Problem(f"{place} {plugin.name}", "enableHierarchy", "on capacity or drf", "remove the flag")
                )
    drf = conf.plugin("drf")
    if drf and drf.flags.get("enableHierarchy") and "proportion" in names:
        found.append(Problem(place, "proportion with hierarchical drf", "one of them", "remove proportion"))
    capacity = conf.plugin("capacity")
    if queue_tree and not (capacity and capacity.flags.get("enableHierarchy")):
        act = "add capacity with enableHierarchy: true, or flatten the queues"
        found.append(Problem(place, "queues have parents", "capacity with enableHierarchy: true", act))
    if shares and capacity is None:
        act = "add capacity (and reclaim), or leave deserved and guarantee out"
        found.append(Problem(place, "queues have deserved or guarantee", "capacity, the plugin that reads them", act))
    return found


def topology_aware(conf: SchedulerConf) -> bool:
    """True when the scheduler looks at HyperNodes at all."""
    return conf.plugin(_TOPOLOGY_PLUGIN) is not None


def render(conf: SchedulerConf) -> str:
    """Return the text of ``volcano-scheduler.conf``; the same configuration always gives the same bytes."""
    lines = [f'actions: "{", ".join(conf.actions)}"', "tiers:"]
    for tier in conf.tiers:
        lines.append("- plugins:")
        for plugin in tier:
            lines.append(f"  - name: {plugin.name}")
            lines += [f"    {flag}: {_scalar(value)}" for flag, value in plugin.flags.items()]
            if plugin.arguments:
                lines.append("    arguments:")
                lines += [f"      {name}: {_scalar(value)}" for name, value in plugin.arguments.items()]
    if conf.action_arguments:
        lines.append("configurations:")
        for action, arguments in conf.action_arguments.items():
            lines += [f"- name: {action}", "  arguments:"]
            lines += [f"    {name}: {_scalar(value)}" for name, value in arguments.items()]
    return "\n".join(lines) + "\n"


def _scalar(value: Any) -> str:
    """Return a value as YAML flow text. Lists and maps are JSON, which YAML reads as itself."""
    return json.dumps(value, sort_keys=True)

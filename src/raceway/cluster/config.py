"""The two stacks' configuration as types: what a platform and a set of workloads may say.

Pulumi's own schema knows text, number, list; everything finer is checked here, before any call to the API. It
deliberately does not read files: the programs hand over plain data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from raceway.cluster.hypernodes import SELECTORS, HyperNode, Member
from raceway.cluster.jobs.torchrun import TorchrunJobArgs
from raceway.cluster.problems import Problem, refuse
from raceway.cluster.queues import Queue
from raceway.cluster.reading import Reader
from raceway.cluster.scheduler import Plugin, SchedulerConf
from raceway.cluster.tenancy import Namespace, PriorityClass
from raceway.errors import RacewayError

PLATFORM, WORKLOADS = "raceway-platform", "raceway-workloads"
VOLCANO_MODES = ("external", "install")
TOPOLOGY_SOURCES = ("inventory", "declared", "none")
EXPECTATIONS = ("running", "pending")
TEMPLATES = ("torchrun-fsdp",)


@dataclass(frozen=True)
class VolcanoConfig:
    """How Volcano comes to be: ``external`` (its programs run elsewhere) or ``install`` (pods in this cluster)."""

    mode: str = "external"
    crds: bool = True
    webhook_url: str = ""
    webhook_ca_file: str = ""
    replicas: int = 2
    registry: str = "docker.io/volcanosh"
    certificate_dir: str = ""


@dataclass(frozen=True)
class TopologyConfig:
    """Where HyperNodes come from, and how leafs name their nodes."""

    source: str = "inventory"
    selector: str = "exact"
    hypernodes: tuple[HyperNode, ...] = ()


@dataclass(frozen=True)
class PlatformConfig:
    """Everything a platform stack says."""

    namespaces: tuple[Namespace, ...] = ()
    priorities: tuple[PriorityClass, ...] = ()
    queues: tuple[Queue, ...] = ()
    scheduler: SchedulerConf | None = None
    topology: TopologyConfig = TopologyConfig()
    volcano: VolcanoConfig = VolcanoConfig()
    node_labels: bool = True
    node_taints: bool = False


@dataclass(frozen=True)
class JobConfig:
    """One job of a workloads stack. ``expect: pending`` declares that it is meant to wait (no room is no error).

    ``fabric_hosts``: hosts whose fabric settings it gets; none is every machine that has what its pods ask for.
    """

    args: TorchrunJobArgs
    expect: str = "running"
    wait: bool = False
    fabric_hosts: tuple[str, ...] = ()


def platform_config(data: Mapping[str, Any], prefix: str = PLATFORM) -> PlatformConfig:
    """Return the typed configuration; every misfit is told at once, with key, found, allowed, next act."""
    problems: list[Problem] = []
    reader = Reader(f"{prefix}:", data, problems)
    made = PlatformConfig(
        namespaces=tuple(_namespace(one) for one in reader.each("namespaces")),
        priorities=tuple(_priority(one) for one in reader.each("priorities")),
        queues=tuple(_queue(one) for one in reader.each("queues")),
        scheduler=_scheduler(reader.sub("scheduler")) if reader.has("scheduler") else None,
        topology=_topology(reader.sub("topology")),
        volcano=_volcano(reader.sub("volcano")),
        node_labels=reader.flag("nodeLabels", True),
        node_taints=reader.flag("nodeTaints", False),
    )
    for outside in ("inventory", "kubeconfig"):  # read by the program itself
        reader.text(outside, "")
    reader.done()
    refuse(problems, f"{prefix} configuration")
    return made


def _namespace(reader: Reader) -> Namespace:
    made = Namespace(reader.text("name"), reader.text("podSecurity", "baseline"), reader.text_map("labels"))
    reader.done()
    return made


def _priority(reader: Reader) -> PriorityClass:
    made = PriorityClass(
        reader.text("name"),
        reader.whole("value"),
        reader.text("preemption", "PreemptLowerPriority"),
        reader.text("description", ""),
    )
    reader.done()
    return made


def _queue(reader: Reader) -> Queue:
    made = Queue(
        name=reader.text("name"),
        parent=reader.text("parent", "root"),
        weight=reader.whole("weight", 1),
        priority=reader.whole("priority", 0),
        reclaimable=reader.flag("reclaimable", True),
        dequeue_strategy=reader.text("dequeueStrategy", "traverse"),
        capability=reader.quantities("capability"),
        deserved=reader.quantities("deserved"),
        guarantee=reader.quantities("guarantee"),
    )
    reader.done()
    return made


def _scheduler(reader: Reader) -> SchedulerConf:
    tiers = tuple(tuple(_plugin(one) for one in row) for row in reader.lists("tiers"))
    arguments = {str(name): dict(value) for name, value in reader.any_map("actionArguments").items()}
    made = SchedulerConf(reader.texts("actions"), tiers, arguments)
    reader.done()
    return made


def _plugin(reader: Reader) -> Plugin:
    made = Plugin(reader.text("name"), reader.any_map("flags"), reader.any_map("arguments"))
    reader.done()
    return made


def _topology(reader: Reader) -> TopologyConfig:
    made = TopologyConfig(
        source=reader.choice("source", TOPOLOGY_SOURCES, "inventory"),
        selector=reader.choice("selector", SELECTORS, "exact"),
        hypernodes=tuple(_hypernode(one) for one in reader.each("hypernodes")),
    )
    if (made.source == "declared") != bool(made.hypernodes):
        text = f"source {made.source} with {len(made.hypernodes)} hypernodes"
        allowed = "hypernodes with source declared, none with another"
        reader.problems.append(Problem(reader.place, text, allowed, "correct one of the two"))
    reader.done()
    return made


def _hypernode(reader: Reader) -> HyperNode:
    members = []
    for one in reader.each("members"):
        kind, labels = one.text("type", "Node"), one.text_map("labels")
        members.append(Member(kind, one.text("exact", ""), one.text("regex", ""), labels))
        one.done()
    made = HyperNode(reader.text("name"), reader.whole("tier"), tuple(members), reader.text("tierName", ""))
    reader.done()
    return made


def _volcano(reader: Reader) -> VolcanoConfig:
    made = VolcanoConfig(
        mode=reader.choice("mode", VOLCANO_MODES, "external"),
        crds=reader.flag("crds", True),
        webhook_url=reader.text("webhookUrl", ""),
        webhook_ca_file=reader.text("webhookCaFile", ""),
        replicas=reader.whole("replicas", 2),
        registry=reader.text("registry", "docker.io/volcanosh"),
        certificate_dir=reader.text("certificateDir", ""),
    )
    if bool(made.webhook_url) != bool(made.webhook_ca_file):
        text = "one of webhookUrl and webhookCaFile alone"
        reader.problems.append(Problem(reader.place, text, "both or neither", "set the other one"))
    if made.mode == "install" and made.webhook_url:
        text = "webhookUrl with mode install"
        reader.problems.append(Problem(reader.place, text, "mode external", "remove webhookUrl and webhookCaFile"))
    if made.replicas < 1:
        reader.problems.append(Problem(f"{reader.place}.replicas", str(made.replicas), "1 or more", "correct it"))
    reader.done()
    return made


def jobs_config(data: Mapping[str, Any], scripts: Mapping[str, str], prefix: str = WORKLOADS) -> tuple[JobConfig, ...]:
    """Return the typed jobs. ``scripts``: template → text of its entry script."""
    problems: list[Problem] = []
    reader = Reader(f"{prefix}:", data, problems)
    made = [job for one in reader.each("jobs") if (job := _job(one, scripts)) is not None]
    refuse(problems, f"{prefix} configuration")
    return tuple(made)


def _job(reader: Reader, scripts: Mapping[str, str]) -> JobConfig | None:
    template = reader.choice("template", TEMPLATES, TEMPLATES[0])
    expect, wait = reader.choice("expect", EXPECTATIONS, "running"), reader.flag("wait", False)
    hosts = reader.texts("fabricHosts")
    known_before = len(reader.problems)
    values = {one.name: _job_value(reader, one.name, str(one.type)) for one in fields(TorchrunJobArgs)}
    reader.done()
    if len(reader.problems) > known_before:
        return None
    given = {name: value for name, value in values.items() if value is not None}
    if not given.get("script"):
        given["script"] = scripts.get(template, "")
    try:
        return JobConfig(TorchrunJobArgs(**given), expect, wait, hosts)
    except RacewayError as error:
        reader.problems.append(Problem(f"{reader.place} {error.place}", error.found, error.allowed, error.act))
        return None


_REQUIRED = ("name", "namespace", "queue", "image", "nodes", "accelerators_per_node")


def _job_value(reader: Reader, name: str, kind: str) -> Any:
    key = camel(name)
    if not reader.has(key) and name not in _REQUIRED:
        reader.text(key, "")  # counts the key as known; the dataclass has the default
        return None
    if kind.startswith("int"):
        return reader.whole(key)
    if kind.startswith("tuple"):
        return reader.texts(key)
    if kind.startswith("Mapping"):
        return reader.text_map(key)
    return reader.text(key)


def camel(name: str) -> str:
    """Return the stack file's spelling of a field name.

    >>> camel("accelerators_per_node")
    'acceleratorsPerNode'
    """
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)

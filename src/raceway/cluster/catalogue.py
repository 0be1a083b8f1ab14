"""What the Volcano scheduler of the pinned version understands: actions, plugins, flags, arguments.

Taken from pkg/scheduler/{conf,actions,plugins} of Volcano 1.15.1. The scheduler itself ignores an argument it does not
know and stops on a plugin it does not know, so this table is where a misspelt word is found. It deliberately
holds no opinion about which combination is good: that is ``scheduler.py``.
"""

from __future__ import annotations

# name → type of the argument's value. A name that ends in * stands for every name with that start.
ActionArguments = dict[str, type]

_CACHE: ActionArguments = {"predicateErrorCacheEnable": bool}
_GANG_EVICTION: ActionArguments = {"maxDomains": int, "allowWholeBundle": bool}
ACTIONS: dict[str, ActionArguments] = {
    "enqueue": {},
    "allocate": _CACHE,
    "backfill": _CACHE,
    "preempt": {
        **_CACHE,
        "enableTopologyAwarePreemption": bool,
        "topologyAwarePreemptWorkerNum": int,
        "minCandidateNodesPercentage": int,
        "minCandidateNodesAbsolute": int,
        "maxCandidateNodesAbsolute": int,
    },
    "reclaim": _CACHE,
    "gangpreempt": _GANG_EVICTION,
    "gangreclaim": _GANG_EVICTION,
    "shuffle": {},
}

_PREDICATE_SWITCHES = [
    "NodeAffinityEnable",
    "NodePortsEnable",
    "TaintTolerationEnable",
    "PodAffinityEnable",
    "NodeVolumeLimitsEnable",
    "VolumeZoneEnable",
    "PodTopologySpreadEnable",
    "VolumeBindingEnable",
    "DynamicResourceAllocationEnable",
    "CacheEnable",
]
_NODEORDER_WEIGHTS = [
    "nodeaffinity",
    "podaffinity",
    "leastrequested",
    "mostrequested",
    "balancedresource",
    "tainttoleration",
    "imagelocality",
    "podtopologyspread",
]
_EXTENDER_WORDS = [
    "urlPrefix",
    "httpTimeout",
    "onSessionOpenVerb",
    "onSessionCloseVerb",
    "predicateVerb",
    "prioritizeVerb",
    "preemptableVerb",
    "reclaimableVerb",
    "queueOverusedVerb",
    "jobEnqueueableVerb",
    "jobReadyVerb",
    "allocateFuncVerb",
    "deallocateFuncVerb",
    "managedResources",
]

PLUGINS: dict[str, dict[str, type]] = {
    "binpack": {
        "binpack.weight": int,
        "binpack.cpu": int,
        "binpack.memory": int,
        "binpack.resources": str,
        "binpack.resources.*": int,
    },
    "capacity": {
        "ancestorReclaimLevel": int,
        "capacity.DynamicResourceAllocationEnable": bool,
        "capacity.DRAConsumableCapacityEnable": bool,
    },
    "cdp": {},
    "conformance": {},
    "deviceshare": {
        "deviceshare.GPUSharingEnable": bool,
        "deviceshare.NodeLockEnable": bool,
        "deviceshare.GPUNumberEnable": bool,
        "deviceshare.VGPUEnable": bool,
        "deviceshare.AscendMindClusterVNPUEnable": bool,
        "deviceshare.AscendHAMiVNPUEnable": bool,
        "deviceshare.SchedulePolicy": str,
        "deviceshare.ScheduleWeight": int,
        "deviceshare.KnownGeometriesCMName": str,
        "deviceshare.KnownGeometriesCMNamespace": str,
        "deviceshare.GPUExclusiveRules": list,
    },
    "drf": {},
    "extender": {**{f"extender.{word}": str for word in _EXTENDER_WORDS}, "extender.ignorable": bool},
    "gang": {},
    "network-topology-aware": {
        "weight": int,
        "hypernode.binpack.cpu": int,
        "hypernode.binpack.memory": int,
        "hypernode.binpack.resources": str,
        "hypernode.binpack.resources.*": int,
        "hypernode.binpack.normal-pod.enable": bool,
        "hypernode.binpack.normal-pod.fading": float,
        "hypernode.gradient.evict.max-hypernodes": int,
    },
    "nodegroup": {"strict": bool, "enablePreferredOrder": bool},
    "nodeorder": {f"{word}.weight": int for word in _NODEORDER_WEIGHTS},
    "numa-aware": {"weight": int},
    "overcommit": {"overcommit-factor": float},
    "pdb": {},
    "predicates": {
        **{f"predicate.{word}": bool for word in _PREDICATE_SWITCHES},
        "volumebinding.bindTimeoutSeconds": int,
        "volumebinding.shape": list,
        "volumebinding.weight": int,
        "dynamicresources.filterTimeoutSeconds": int,
    },
    "priority": {},
    "proportion": {},
    "rescheduling": {"interval": str, "metricsPeriod": str, "strategies": list},
    "resource-strategy-fit": {"resourceStrategyFitWeight": int, "resources": dict, "sra": dict, "proportional": dict},
    "resourcequota": {},
    "sla": {"sla-waiting-time": str},
    "task-topology": {"task-topology.weight": int},
    "tdm": {"tdm.revocable-zone.*": str, "tdm.evict.period": str, "tdm.evict.max-step": str},
    "usage": {"usage.weight": int, "cpu.weight": int, "memory.weight": int, "thresholds": dict},
}

# Flags of one plugin entry, spelt as in the scheduler's own yaml tags (they are not all alike).
FLAGS = [
    "enableJobOrder",
    "enableHierarchy",
    "enableJobReady",
    "enableJobPipelined",
    "enableTaskOrder",
    "enablePreemptable",
    "enableReclaimable",
    "enablePreemptive",
    "enableQueueOrder",
    "EnabledClusterOrder",
    "enablePredicate",
    "enableBestNode",
    "enableNodeOrder",
    "enableTargetJob",
    "enableReservedNodes",
    "enableJobEnqueued",
    "enabledVictim",
    "enableJobStarving",
    "enabledOverused",
    "enabledAllocatable",
    "enabledHyperNodeOrder",
    "enabledSubJobReady",
    "enabledSubJobPipelined",
    "enabledSubJobOrder",
    "enabledHyperNodeGradient",
]


def argument_type(plugin: str, argument: str) -> type | None:
    """Return the type an argument must have, or None when the plugin does not know it."""
    known = PLUGINS[plugin]
    if argument in known:
        return known[argument]
    for name, kind in known.items():
        if name.endswith("*") and argument.startswith(name[:-1]) and len(argument) >= len(name):
            return kind
    return None

"""A PyTorch training job over several nodes: one gang of pods, each running ``torchrun`` for its accelerators.

Every pod is one node of the job (``--nnodes=$WORLD_SIZE --node_rank=$RANK``); torchrun then gives each process its own
rank. It is one Volcano task, so that a partition of the gang can be kept under one leaf switch. It deliberately does
not use Volcano's pytorch plugin (it wants two task kinds, which no partition may span), nor TaskCompleted → CompleteJob
(which ends the others when the first one is done: a job of one task completes by itself when all have).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raceway.cluster.names import check_name
from raceway.cluster.problems import Problem, refuse

TASK = "worker"
SCRIPT_DIR = "/opt/raceway/job"
CHECKPOINT_DIR = "/checkpoints"
API_VERSION = "batch.volcano.sh/v1alpha1"
TOPOLOGY_MODES = ("", "hard", "soft")
_IMAGE = re.compile(r"^[^\s@]+(?P<tag>:[\w][\w.-]{0,127})?(?P<digest>@sha256:[0-9a-f]{64})?$")
_MASTER_PORT_RANGE = range(1024, 65536)


@dataclass(frozen=True)
class TorchrunJobArgs:
    """What a user says about the job; sizes carry their unit in the name.

    ``shm_gib`` counts against ``memory_gib``. ``leaf_nodes`` > 0 keeps every group of that many pods under one leaf.
    ``nccl_env`` holds what the fabric's declaration knows; nothing is guessed.
    """

    name: str
    namespace: str
    queue: str
    image: str
    nodes: int
    accelerators_per_node: int
    accelerator_resource: str = "nvidia.com/gpu"
    cpus: int = 8
    memory_gib: int = 64
    shm_gib: int = 16
    rdma_resource: str = ""
    rdma_count: int = 0
    priority_class: str = ""
    script_args: tuple[str, ...] = ()
    script: str = ""
    checkpoint_claim: str = ""
    master_port: int = 29500
    max_retry: int = 10
    grace_seconds: int = 120
    ttl_seconds: int | None = None
    pending_timeout_minutes: int = 0
    topology_mode: str = ""
    topology_highest_tier: int = 0
    leaf_nodes: int = 0
    nccl_env: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse(_problems(self), f"job {self.name}")


def _problems(args: TorchrunJobArgs) -> list[Problem]:
    place = f"job {args.name}"
    found = check_name(f"{place} name", args.name, "label") + check_name(f"{place} namespace", args.namespace, "label")
    found += _check_image(place, args.image) + _check_topology(place, args)
    at_least = {"nodes": 1, "accelerators_per_node": 0, "cpus": 1, "memory_gib": 1, "shm_gib": 1, "max_retry": 1}
    for name, least in at_least.items():
        if getattr(args, name) < least:
            found.append(Problem(f"{place} {name}", str(getattr(args, name)), f"{least} or more", "correct it"))
    if args.shm_gib >= args.memory_gib:
        text = f"{args.shm_gib} of memory_gib {args.memory_gib}"
        act = "lower it: pages in /dev/shm count against the container's memory"
        found.append(Problem(f"{place} shm_gib", text, "below memory_gib", act))
    if bool(args.rdma_resource) != bool(args.rdma_count):
        text = f"rdma_resource {args.rdma_resource or '(none)'}, rdma_count {args.rdma_count}"
        found.append(Problem(place, text, "both or neither", "set the resource name and how many of it"))
    if args.accelerators_per_node and not args.accelerator_resource:
        found.append(Problem(f"{place} accelerator_resource", "empty", "a resource name", "name it"))
    if args.master_port not in _MASTER_PORT_RANGE:
        found.append(Problem(f"{place} master_port", str(args.master_port), "1024 to 65535", "choose a port"))
    return found


def _check_image(place: str, image: str) -> list[Problem]:
    match = _IMAGE.match(image)
    allowed = "name:tag, better name@sha256:…"
    if match is None or not (match["tag"] or match["digest"] or ":" in image.rpartition("/")[2]):
        return [Problem(f"{place} image", repr(image), allowed, "name a version: what runs must not change by itself")]
    if image.endswith(":latest"):
        return [Problem(f"{place} image", image, allowed, "name a version instead of latest")]
    return []


def _check_topology(place: str, args: TorchrunJobArgs) -> list[Problem]:
    if args.topology_mode not in TOPOLOGY_MODES:
        return [Problem(f"{place} topology_mode", repr(args.topology_mode), "hard, soft or empty", "choose one")]
    if args.topology_highest_tier and args.topology_mode != "hard":
        return [
            Problem(f"{place} topology_highest_tier", f"with mode {args.topology_mode!r}", "mode hard", "set the mode")
        ]
    if args.leaf_nodes and args.nodes % args.leaf_nodes:
        text = f"{args.leaf_nodes} with {args.nodes} nodes"
        return [Problem(f"{place} leaf_nodes", text, "a divisor of nodes", "choose a divisor")]
    return []


def names(args: TorchrunJobArgs) -> dict[str, str]:
    """Return the names the job's objects will have (those Volcano makes follow from the job's)."""
    made = {
        "job": args.name,
        "service": args.name,
        "first_pod": f"{args.name}-{TASK}-0",
        "master": master_address(args),
    }
    return {**made, "script": f"{args.name}-script"} if args.script else made


def master_address(args: TorchrunJobArgs) -> str:
    """Return the name under which pod 0 is found: svc gives pods a host name and the job's headless service."""
    return f"{args.name}-{TASK}-0.{args.name}"


def manifests(args: TorchrunJobArgs) -> list[dict[str, Any]]:
    """Return the objects in the order in which they must exist."""
    job = {
        "apiVersion": API_VERSION,
        "kind": "Job",
        "metadata": {"name": args.name, "namespace": args.namespace, **_labels(args)},
        "spec": _job_spec(args),
    }
    if not args.script:
        return [job]
    metadata = {"name": names(args)["script"], "namespace": args.namespace}
    script = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"train.py": args.script}}
    return [script, job]


def _labels(args: TorchrunJobArgs) -> dict[str, Any]:
    return {"labels": dict(sorted(args.labels.items()))} if args.labels else {}


def _job_spec(args: TorchrunJobArgs) -> dict[str, Any]:
    # Every default that the webhook would fill in is written out, so that reading back shows no difference.
    spec: dict[str, Any] = {
        "schedulerName": "volcano",
        "queue": args.queue,
        "minAvailable": args.nodes,
        "maxRetry": args.max_retry,
        "plugins": {"env": [], "svc": ["--publish-not-ready-addresses=true"]},
        "policies": _policies(args),
        "tasks": [_task(args)],
    }
    if args.priority_class:
        spec["priorityClassName"] = args.priority_class
    if args.ttl_seconds is not None:
        spec["ttlSecondsAfterFinished"] = args.ttl_seconds
    if args.topology_mode:
        spec["networkTopology"] = {"mode": args.topology_mode}
        if args.topology_highest_tier:
            spec["networkTopology"]["highestTierAllowed"] = args.topology_highest_tier
    return spec


def _policies(args: TorchrunJobArgs) -> list[dict[str, Any]]:
    policies: list[dict[str, Any]] = [
        {"event": "PodEvicted", "action": "RestartJob"},
        {"event": "PodFailed", "action": "RestartJob"},
    ]
    if args.pending_timeout_minutes:
        timeout = f"{args.pending_timeout_minutes}m0s"
        policies.append({"event": "PodPending", "action": "RestartJob", "timeout": timeout})
    return policies


def _task(args: TorchrunJobArgs) -> dict[str, Any]:
    task: dict[str, Any] = {
        "name": TASK,
        "replicas": args.nodes,
        "minAvailable": args.nodes,
        "maxRetry": args.max_retry,
        "template": {"spec": _pod_spec(args)},
    }
    if args.leaf_nodes:
        groups = args.nodes // args.leaf_nodes
        task["partitionPolicy"] = {
            "totalPartitions": groups,
            "partitionSize": args.leaf_nodes,
            "minPartitions": groups,
            "networkTopology": {"mode": "hard", "highestTierAllowed": 1},
        }
    return task


def _pod_spec(args: TorchrunJobArgs) -> dict[str, Any]:
    volumes: list[dict[str, Any]] = [
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{args.shm_gib}Gi"}}
    ]
    if args.script:
        volumes.append({"name": "script", "configMap": {"name": names(args)["script"]}})
    if args.checkpoint_claim:
        volumes.append({"name": "checkpoints", "persistentVolumeClaim": {"claimName": args.checkpoint_claim}})
    return {
        "restartPolicy": "Never",  # with OnFailure the kubelet restarts in place and Volcano never sees the failure
        "terminationGracePeriodSeconds": args.grace_seconds,
        "containers": [_container(args)],
        "volumes": volumes,
    }


def _container(args: TorchrunJobArgs) -> dict[str, Any]:
    mounts = [{"name": "shm", "mountPath": "/dev/shm"}]
    if args.script:
        mounts.append({"name": "script", "mountPath": SCRIPT_DIR})
    if args.checkpoint_claim:
        mounts.append({"name": "checkpoints", "mountPath": CHECKPOINT_DIR})
    amounts = {"cpu": str(args.cpus), "memory": f"{args.memory_gib}Gi"}
    if args.accelerators_per_node:
        amounts[args.accelerator_resource] = str(args.accelerators_per_node)
    if args.rdma_count:
        amounts[args.rdma_resource] = str(args.rdma_count)
    container: dict[str, Any] = {
        "name": TASK,
        "image": args.image,
        "command": ["/bin/sh", "-c"],
        "args": [launch_line(args)],
        "env": [{"name": name, "value": value} for name, value in environment(args).items()],
        "ports": [{"name": "rendezvous", "containerPort": args.master_port}],
        "resources": {"requests": dict(amounts), "limits": dict(amounts)},
        "volumeMounts": mounts,
    }
    if args.rdma_count:
        # Registering memory with the adapter pins it.
        container["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    return container


def environment(args: TorchrunJobArgs) -> dict[str, str]:
    """Return the container's variables; a user's own win over derived ones."""
    derived = {
        "MASTER_ADDR": master_address(args),
        "MASTER_PORT": str(args.master_port),
        "WORLD_SIZE": str(args.nodes),
        "CHECKPOINT_DIR": CHECKPOINT_DIR if args.checkpoint_claim else "",
        "PYTHONUNBUFFERED": "1",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
    }
    if args.accelerator_resource == "nvidia.com/gpu" and args.accelerators_per_node and not args.rdma_count:
        derived["NCCL_IB_DISABLE"] = "1"  # declared without RDMA: do not spend a timeout on looking for it
    return {name: value for name, value in {**derived, **args.nccl_env, **args.env}.items() if value}


def launch_line(args: TorchrunJobArgs) -> str:
    """Return the shell line. ``exec`` lets SIGTERM reach torchrun, which hands it on for a last checkpoint."""
    processes = args.accelerators_per_node or 1
    script = f"{SCRIPT_DIR}/train.py" if args.script else "train.py"
    words = [
        'export RANK="$VC_TASK_INDEX"; exec torchrun',
        '--nnodes="$WORLD_SIZE" --node_rank="$RANK"',
        f"--nproc_per_node={processes}",
        '--master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT"',
        script,
        *(_quoted(word) for word in args.script_args),
    ]
    return " ".join(words)


def _quoted(word: str) -> str:
    return word if re.match(r"^[\w@%+=:,./-]+$", word) else "'" + word.replace("'", "'\"'\"'") + "'"

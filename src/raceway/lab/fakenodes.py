"""The inventory's machines as Node objects whose kubelet kwok plays.

Capacity and allocatable come from the declaration: CPUs, memory, pods, accelerators, RDMA ports. It deliberately sets
no label but kubernetes.io/hostname and no taint: those are laid out by the platform stack, and would else be drift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from raceway.addresses import is_address
from raceway.model.machine import Machine

from .kubeapi import MERGE, ApiError, Client

PODS = 110
FAKE = "kwok.x-k8s.io/node"
# Only nodes that carry this one are removed again: a node somebody made by hand stays.
OURS = "raceway.dev/lab"


def resources(machine: Machine) -> dict[str, str]:
    """Capacity of one machine, as Kubernetes quantities."""
    found = {"cpu": str(machine.cpus), "memory": f"{machine.memory_gib}Gi", "pods": str(PODS)}
    if machine.accelerator_resource and machine.accelerator_count:
        found[machine.accelerator_resource] = str(machine.accelerator_count)
    if machine.rdma_ports:
        found[machine.rdma_resource] = str(machine.rdma_ports)
    return found


def manifest(machine: Machine, lab: str) -> dict[str, Any]:
    """The Node object of one machine."""
    addresses = [{"type": "Hostname", "address": machine.name}]
    if is_address(machine.address):
        addresses.insert(0, {"type": "InternalIP", "address": machine.address})
    capacity = resources(machine)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": machine.name,
            "annotations": {FAKE: "fake", OURS: lab},
            "labels": {"kubernetes.io/hostname": machine.name},
        },
        "status": {"capacity": capacity, "allocatable": capacity, "addresses": addresses},
    }


def changes(wanted: Iterable[dict[str, Any]], there: Iterable[dict[str, Any]], lab: str) -> list[tuple[str, str, Any]]:
    """What to do: (``create|status|delete``, node name, body). A node that is right is left alone."""
    existing = {node["metadata"]["name"]: node for node in there}
    todo: list[tuple[str, str, Any]] = []
    names = set()
    for node in wanted:
        name = node["metadata"]["name"]
        names.add(name)
        if name not in existing:
            todo.append(("create", name, node))
            continue
        status = existing[name].get("status", {})
        want, extra = node["status"]["capacity"], {}
        if any(status.get(part) != want for part in ("capacity", "allocatable")):
            # null removes a resource the machine no longer declares.
            for part in ("capacity", "allocatable"):
                extra[part] = {**dict.fromkeys(status.get(part, {})), **want}
            todo.append(("status", name, {"status": extra}))
    for name, node in existing.items():
        if name not in names and (node["metadata"].get("annotations") or {}).get(OURS) == lab:
            todo.append(("delete", name, None))
    return todo


def reconcile(client: Client, machines: Iterable[Machine], lab: str, advance: Callable[[int, str], None]) -> int:
    """Make the API's nodes equal to the machines; return how many there are."""
    wanted = [manifest(machine, lab) for machine in machines]
    there = client.request("GET", "/api/v1/nodes")["items"]
    for done, (act, name, body) in enumerate(changes(wanted, there, lab), start=1):
        path = f"/api/v1/nodes/{name}"
        try:
            if act == "create":
                client.request("POST", "/api/v1/nodes", body)
            elif act == "status":
                client.request("PATCH", f"{path}/status", body, MERGE)
            else:
                client.request("DELETE", path)
        except ApiError as error:
            # Made or removed between the look and the act: what was wanted is there.
            if error.status not in {"create": (409,), "delete": (404,)}.get(act, ()):
                raise
        advance(done, name)
    return len(wanted)


def not_ready(client: Client, lab: str) -> list[str]:
    """Names of the lab's fake nodes that are not Ready yet."""
    late = []
    for node in client.request("GET", "/api/v1/nodes")["items"]:
        ours = (node["metadata"].get("annotations") or {}).get(OURS) == lab
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions") or [])
        tainted = any(
            taint["key"].startswith("node.kubernetes.io/not-ready") for taint in node["spec"].get("taints") or []
        )
        if ours and (not ready or tainted):
            late.append(node["metadata"]["name"])
    return late


def machine(values: dict[str, Any]) -> Machine:
    """A machine from its record (JSON knows no tuples)."""
    return Machine(**{**values, "taints": tuple(values.get("taints", ()))})

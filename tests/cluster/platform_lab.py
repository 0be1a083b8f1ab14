"""A real control plane for the stacks: API server, Volcano's programs, kwok nodes with accelerators. No containers.

One lab is shared by the tests whose files begin alike; each test leaves the cluster as it found it. It deliberately
looks at the cluster through kubectl and the API alone, never through what raceway believes.
"""

from __future__ import annotations

import atexit
import dataclasses
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from raceway.lab.lab import Lab
from raceway.model.machine import Machine
from raceway.stack import Project
from raceway.stack.engine import command, environment
from raceway.tools import ensure

GPU = "nvidia.com/gpu"
# What the cluster makes by itself and changes all the time, and what kwok needs.
UNSTABLE = ("events", "leases.coordination.k8s.io", "events.events.k8s.io", "componentstatuses", "endpoints")
VOLATILE = ("endpointslices.discovery.k8s.io", "apiservices.apiregistration.k8s.io", "ipaddresses.networking.k8s.io")
# Volcano's controller writes it, in an order of its own.
OF_VOLCANO = ("nodeshards.shard.volcano.sh",)


def make_machines(count: int, gpus: int = 8, per_leaf: int = 2) -> list[Machine]:
    """Return GPU machines gpu-1…, two below each leaf, all below one spine."""
    base = Machine("", cpus=64, memory_gib=512, accelerator_kind="nvidia", accelerator_model="H100", spine="spine-1")
    counted = dataclasses.replace(base, accelerator_count=gpus)
    return [
        dataclasses.replace(counted, name=f"gpu-{number}", leaf=f"leaf-{(number - 1) // per_leaf + 1}")
        for number in range(1, count + 1)
    ]


class PlatformLab:
    """The lab, and the two ways to look at it: kubectl and the stacks."""

    def __init__(self, name: str, folder: Path) -> None:
        self.lab = Lab(name)
        self.folder = folder
        self.kubectl_path = str(ensure(["kubectl"], show=False)["kubectl"])

    def up(self, machines: Sequence[Machine]) -> None:
        """Start the programs or only change the nodes, and write the inventory that declares these machines."""
        self.lab.up(machines=list(machines), containers=False)
        hosts = {machine.name: variables(machine) for machine in machines}
        self.inventory.mkdir(exist_ok=True)
        (self.inventory / "hosts.yml").write_text(yaml.safe_dump({"nodes": {"hosts": hosts}}))

    @property
    def inventory(self) -> Path:
        """The inventory of the machines."""
        return self.folder / "inventory"

    def project(self, name: str, stack: str = "lab", **settings: Any) -> Project:
        """Return one of the two projects against this cluster."""
        given = {"inventory": str(self.inventory), **settings}
        if name == "platform":
            authority = str(self.lab.folder / "pki" / "ca.crt")
            webhooks = {"webhookUrl": self.lab.webhook_url, "webhookCaFile": authority}
            given["volcano"] = {**webhooks, **settings.get("volcano", {})}
        return Project(name, stack, self.lab.kubeconfig, given, self.folder / "pulumi")

    def kubectl(self, *words: str, given: str | None = None, check: bool = True) -> str:
        """Run kubectl; return its output."""
        words = (self.kubectl_path, "--kubeconfig", str(self.lab.kubeconfig), *words)
        done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=120)
        assert not check or done.returncode == 0, f"{' '.join(words[3:])}: {done.stderr}"
        return done.stdout

    def apply(self, *objects: dict[str, Any]) -> None:
        """Apply objects as somebody else than raceway."""
        listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "--server-side", "--field-manager=test", "-f", "-", given=json.dumps(listed))

    def get(self, *words: str) -> Any:
        """Return an object or the items of a list."""
        found = json.loads(self.kubectl("get", *words, "-o", "json"))
        return found["items"] if str(found["kind"]).endswith("List") else found

    def phases(self, namespace: str) -> dict[str, tuple[str, int]]:
        """Return job → (phase, running pods)."""
        states = {job["metadata"]["name"]: job.get("status", {}) for job in self.get("vcjob", "-n", namespace)}
        return {name: (s.get("state", {}).get("phase", ""), s.get("running", 0)) for name, s in states.items()}

    def wait(self, what: str, holds: Callable[[], Any], seconds: float = 60) -> Any:
        """Return what ``holds`` returns as soon as it is true; on time-out fail with the evidence."""
        end = time.monotonic() + seconds
        while not (found := holds()):
            if time.monotonic() > end:
                evidence = self.kubectl("get", "vcjob,podgroup,queue,pods", "-A", check=False)
                raise AssertionError(f"not within {seconds} s: {what}\n{evidence}")
            time.sleep(0.3)
        return found

    def objects(self) -> dict[str, str]:
        """Return every object of the API, ``kind namespace/name`` → its lasting parts, but kinds that always change."""
        kinds = self.kubectl("api-resources", "--verbs=list", "-o", "name").split()
        stable = [kind for kind in kinds if kind not in (*UNSTABLE, *VOLATILE, *OF_VOLCANO)]
        listed = json.loads(
            self.kubectl("get", ",".join(stable), "-A", "-o", "json", "--ignore-not-found") or '{"items": []}'
        )
        return {_key(one): json.dumps(_lasting(one), sort_keys=True) for one in listed["items"]}

    def pulumi(self, project: Project, *words: str) -> subprocess.CompletedProcess[str]:
        """Call the Pulumi program itself, as a person would."""
        return subprocess.run(
            command(project, *words), env=environment(project), capture_output=True, text=True, timeout=300
        )


def _key(one: dict[str, Any]) -> str:
    metadata = one["metadata"]
    return f"{one['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def _lasting(one: dict[str, Any]) -> dict[str, Any]:
    if one["kind"] == "Node":
        return {"labels": one["metadata"].get("labels"), "taints": one["spec"].get("taints")}
    return {key: one[key] for key in ("spec", "data", "rules", "webhooks") if key in one}


def variables(machine: Machine) -> dict[str, Any]:
    """Return the inventory variables that declare a machine."""
    names = ("platform", "cpus", "memory_gib", "rack", "leaf", "spine")
    names += ("accelerator_kind", "accelerator_model", "accelerator_count")
    number = int(machine.name.rpartition("-")[2])
    own = {f"node_{name}": getattr(machine, name) for name in names if getattr(machine, name)}
    return {**own, "ansible_host": f"10.99.{number // 250}.{number % 250 + 1}"}


_SHARED: list[tuple[PlatformLab, Callable[[], None]]] = []


def shared() -> PlatformLab:
    """Return the lab of these tests; conftest.py removes it after the last of them, or the end of the process does."""
    if not _SHARED:
        folder = tempfile.TemporaryDirectory(prefix="raceway-platform-")
        # test-<pid>: the fixtures in conftest.py remove labs of test processes that were killed.
        _SHARED.append((PlatformLab(f"test-{os.getpid()}-platform", Path(folder.name)), folder.cleanup))
        atexit.register(end_shared)
    return _SHARED[0][0]


def end_shared() -> None:
    """Remove the lab, if there is one: its programs would go on using the processor."""
    while _SHARED:
        made, cleanup = _SHARED.pop()
        made.lab.down()
        cleanup()

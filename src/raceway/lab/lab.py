"""``Lab``: what the command line, the tests and the demo use to bring a lab up, look at it and remove it.

``up`` is a statement of what shall be there: run again it completes what a kill left unfinished and repairs what has
stopped. It deliberately keeps no state in memory between calls; everything is read from the lab's folder anew.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from raceway.errors import RacewayError
from raceway.model.machine import Machine
from raceway.tools import ensure

from . import controlplane, files, image, inventory, locks, nodes, programs, record, requirements, ssh
from .containers import DEFAULT_NODES, ContainerLab
from .podman import Podman
from .record import Node, Record
from .status import Status


class Lab(ContainerLab):
    """One lab of container nodes and a control plane by name; making the object does nothing."""

    @property
    def webhook_url(self) -> str:
        """Where vc-webhook-manager answers; a path of it goes into each webhook configuration."""
        return f"https://127.0.0.1:{self._known().ports['vc-webhook-manager']}"

    @property
    def ca_pem(self) -> str:
        """The lab's CA: the caBundle of webhook configurations."""
        return (self.folder / "pki" / "ca.crt").read_text()

    def up(
        self,
        nodes: int | None = None,
        machines: Sequence[Machine] | None = None,
        *,
        containers: bool = True,
        cluster: bool = True,
        install_missing: bool = False,
    ) -> None:
        """Make what is missing: ``nodes`` containers (default: as before, else 2), the control plane, its fake nodes.

        ``containers=False`` and ``cluster=False`` leave that part as it is. ``machines`` are the fake nodes
        (default: as before, else the lab's own nodes).
        """
        self._check_owner()
        files.folder(self.folder)
        files.folder(self.folder / "logs")
        if containers:
            requirements.check(install_missing, self.steps, self.folder / "logs" / "install.log")
        with self._alone():
            self._plan(nodes, machines, containers)
            if containers:
                self._up_nodes()
            if cluster:
                self._up_cluster()

    def status(self) -> Status:
        """The lab as it is now."""
        known = self.record
        if known is None:
            return Status(self.name, str(self.folder), False)
        found: dict[str, Any] = {}
        if known.nodes:
            found["nodes"] = tuple(nodes.states(Podman(self.folder / "run"), known, self.folder))
        if known.ports:
            found["programs"] = tuple(controlplane.states(known, self.folder))
            found["api_version"], found["fake_nodes"] = controlplane.api_summary(known, self.folder)
            found["webhook_url"] = self.webhook_url
        return Status(self.name, str(self.folder), True, kubeconfig=str(self.kubeconfig), **found)

    def wait_for_volcano(self, seconds: float = 60.0) -> None:
        """Wait until scheduler, controllers and admission serve (they start when their CRDs and webhooks exist)."""
        controlplane.wait_for_volcano(self._known(), self.folder, self.steps, seconds)

    def _plan(self, count: int | None, machines: Sequence[Machine] | None, containers: bool) -> None:
        """Decide and write down everything that will be made, before any of it is."""
        with locks.exclusive(record.labs_dir() / ".lock"):
            known = record.load(self.folder / "lab.json") or record.new(self.name)
            if known.vms:
                raise RacewayError(
                    f"lab {self.name}", f"has {len(known.vms)} VM nodes", act="add --vm, or choose another --name"
                )
            if known.control_planes:
                act = "add --kubernetes, or choose another --name"
                raise RacewayError(f"lab {self.name}", "has Kubernetes nodes", act=act)
            if containers:
                known = self._plan_nodes(known, count)
            known = self._plan_machines(known, count, machines)
            record.save(self.folder / "lab.json", known)

    def _plan_machines(self, known: Record, count: int | None, machines: Sequence[Machine] | None) -> Record:
        if machines is not None:
            listed = list(machines)
            known = dataclasses.replace(known, machines_from="given")
        elif known.machines_from:
            return known
        elif known.nodes:
            listed = inventory.machines(inventory.generated(known.nodes, self.folder))
        else:
            wanted = count if count is not None else len(known.machines) or DEFAULT_NODES
            fake = [Node(f"{self.name}-{index}", "", "") for index in range(1, wanted + 1)]
            listed = inventory.machines(inventory.generated(fake, self.folder))
        return dataclasses.replace(known, machines=tuple(_plain(machine) for machine in listed))

    def _up_nodes(self) -> None:
        known = self._known()
        requirements.check_inotify(len(known.nodes))
        podman = Podman(self.folder / "run")
        nodes.wait_for_strays(known.id)
        image.ensure(podman, self.steps, known.id)
        ssh.prepare(self.folder / "ssh", known.nodes)
        nodes.ensure_network(podman, known, self.folder)
        nodes.ensure_containers(podman, known, self.folder, self.steps)
        nodes.wait_ready(known, self.folder, self.steps)
        generated = inventory.generated(known.nodes, self.folder)
        files.write_if_changed(self.inventory_path, json.dumps(generated, indent=2) + "\n")

    def _up_cluster(self) -> None:
        tools = ensure(programs.TOOLS, show=self.steps.show)
        with locks.exclusive(record.labs_dir() / ".lock"):
            known = controlplane.plan(self._known(), tools)
            record.save(self.folder / "lab.json", known)
        controlplane.up(known, self.folder, self.steps)


def _plain(machine: Machine) -> dict[str, Any]:
    values = dataclasses.asdict(machine)
    return {**values, "labels": dict(machine.labels), "taints": list(machine.taints)}

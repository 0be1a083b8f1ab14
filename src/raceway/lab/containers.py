"""What labs of container nodes have in common, whatever runs on the nodes: image, network, containers, their removal.

It deliberately says nothing about bringing a lab up: what a lab consists of beside its containers, and in which order
that is made, is each kind's own.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

from raceway.errors import RacewayError

from . import allocate, controlplane, files, image, nodes, record, requirements
from .home import Home
from .podman import LABEL_HOME, LABEL_ID, Podman
from .record import Node, Record

DEFAULT_NODES = 2


class ContainerLab(Home):
    """One lab of container nodes by name; making the object does nothing. ``node_image``: the recipe of its nodes."""

    node_image = image.NODE

    @property
    def kubeconfig(self) -> Path:
        """The admin kubeconfig of the lab's API server (0600)."""
        return self.folder / "kubeconfig"

    def prepare(self) -> None:
        """Install what is missing on this host for container nodes (Debian, Ubuntu; root); make nothing."""
        self._check_owner()
        files.folder(record.labs_dir())
        requirements.check(True, self.steps, record.labs_dir() / "install.log")

    def down(self, *, image_too: bool = False) -> dict[str, int]:
        """Remove everything this lab made and nothing else; say how many of each."""
        self._check_owner()
        gone = {"processes": 0, "containers": 0, "networks": 0, "images": 0}
        if not self.folder.exists() and not shutil.which("podman"):
            return gone
        with self._alone():
            known = self._readable()  # without one, what carries this folder's label is still found
            # The supervisor first: it would start again what is ended under it.
            gone["processes"] = self._end_processes(known, controlplane.is_supervisor)
            if known and known.network and not shutil.which("podman"):
                raise RacewayError(
                    f"lab {self.name}",
                    "podman is gone, the lab's containers may not be",
                    act="install podman, run again",
                )
            if shutil.which("podman") and os.geteuid() == 0:
                gone["containers"], gone["networks"] = self._remove_nodes(known)
                gone["images"] = self._remove_image() if image_too else 0
            self._give_back()
            image.sweep()
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self._lock_file.unlink()
        return gone

    def _remove_nodes(self, known: Record | None) -> tuple[int, int]:
        podman = Podman(self.folder / "run")
        with self.steps.step(f"remove the nodes of {self.name}"):
            nodes.wait_for_strays(known.id if known else "")
            pairs = [(LABEL_HOME, str(self.folder))] + ([(LABEL_ID, known.id)] if known else [])
            counts = [nodes.remove_all(podman, f"{key}={value}") for key, value in pairs]
        return sum(count[0] for count in counts), sum(count[1] for count in counts)

    def _remove_image(self) -> int:
        podman = Podman(self.folder / "run")
        tag = image.tag(self.node_image)
        users = podman.containers(f"ancestor={tag}") if podman.image_exists(tag) else None
        if users is None:
            return 0
        if users:
            self.steps.say(f"the node image stays: {len(users)} other containers use it")
            return 0
        podman.run(["rmi", tag])
        return 1

    def _give_back(self) -> None:
        """Put back what this lab's nodes changed on the host beside what carries its label: here, nothing."""

    def _plan_nodes(self, known: Record, count: int | None) -> Record:
        wanted = count if count is not None else len(known.nodes) or DEFAULT_NODES
        podman = Podman(self.folder / "run")
        if not nodes.network_exists(podman, known):
            # Until the network is there its subnet is only a wish: another lab or program may have taken it since.
            taken = nodes.used_networks(podman)
            taken += [other.subnet for other in record.all_records() if other.id != known.id]
            chosen = allocate.subnet(taken, prefer=known.subnet)
            known = dataclasses.replace(known, subnet=chosen, network=f"raceway-{self.name}")
        named = tuple(
            Node(f"{self.name}-{index}", f"raceway-{self.name}-{self.name}-{index}", address)
            for index, address in enumerate(allocate.addresses(known.subnet, wanted), start=1)
        )
        return dataclasses.replace(known, nodes=named, image=image.tag(self.node_image))

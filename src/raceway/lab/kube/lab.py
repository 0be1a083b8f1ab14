"""``KubeLab``: what the command line and the tests use to bring Kubernetes nodes up, look at them and remove them.

``up`` is a statement of what shall be there: run again it completes what a kill left unfinished and starts what has
stopped; a node that runs is left alone. It shares everything about containers, networks and ssh with the plain lab. It
deliberately starts no kubelet and makes no cluster: ``ansible-playbook site.yml`` does, as on real machines.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
from pathlib import Path

from raceway.errors import RacewayError

from .. import files, image, locks, nodes, record, requirements, ssh
from ..containers import ContainerLab
from ..podman import Podman
from ..record import Record
from ..status import Status
from . import container, given, host, images, inventory, needs

DEFAULT_NODES, DEFAULT_CONTROL_PLANES, MOST_NODES = 3, 1, 40
ADMIN = "/etc/kubernetes/admin.conf"


class KubeLab(ContainerLab):
    """One lab of Kubernetes nodes by name; making the object does nothing."""

    command = "raceway lab up --kubernetes"
    node_image = image.KUBE_NODE

    @staticmethod
    def owns(name: str) -> bool:
        """Is the lab of this name one of Kubernetes nodes? Also told when its record cannot be read."""
        folder = record.labs_dir() / record.check_name(name)
        with contextlib.suppress(RacewayError):
            known = record.load(folder / "lab.json")
            return bool(known and known.control_planes)
        return (folder / "kube").is_dir()

    def prepare(self) -> None:
        """Install what is missing on this host (Debian, Ubuntu; root), and say what its kernel lacks."""
        super().prepare()
        needs.check()

    def up(self, count: int | None = None, control_planes: int | None = None, *, install_missing: bool = False) -> None:
        """Make what is missing: ``count`` machines, the first ``control_planes`` of them for the control plane.

        Default: as before, else 3 and 1.
        """
        self._check_owner()
        files.folder(self.folder)
        files.folder(self.folder / "logs")
        requirements.check(install_missing, self.steps, self.folder / "logs" / "install.log")
        needs.check()
        with self._alone():
            lab_id = self._plan(count, control_planes).id
            laid = given.prepare(self.folder / "kube", self.steps, lab_id)
            image.ensure(Podman(self.folder / "run"), self.steps, lab_id, self.node_image)
            # Making images takes minutes the first time: another lab may have taken the network meanwhile.
            self._up_nodes(self._plan(count, control_planes), laid)

    def fetch_kubeconfig(self) -> Path:
        """Fetch the admin's kubeconfig from the first control-plane node that has one; return its place here (0600)."""
        known = self._known()
        for node in known.nodes[: known.control_planes]:
            command = ssh.command(node.name, self.folder, f"cat {ADMIN}")
            found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
            if found.returncode == 0 and "clusters:" in found.stdout:
                files.write_if_changed(self.kubeconfig, found.stdout, 0o600)
                return self.kubeconfig
        names = ", ".join(node.name for node in known.nodes[: known.control_planes])
        act = f"make the cluster first: RACEWAY_LAB={self.name} ansible-playbook -i inventories/lab site.yml"
        raise RacewayError(f"lab {self.name}", f"no {ADMIN} on {names}", act=act)

    def status(self) -> Status:
        """The lab as it is now."""
        known = self.record
        if known is None:
            return Status(self.name, str(self.folder), False)
        states = tuple(nodes.states(Podman(self.folder / "run"), known, self.folder))
        kubeconfig = str(self.kubeconfig) if self.kubeconfig.exists() else ""
        return Status(self.name, str(self.folder), True, nodes=states, kubeconfig=kubeconfig)

    def _plan(self, count: int | None, control_planes: int | None) -> Record:
        """Decide and write down everything that will be made, before any of it is."""
        with locks.exclusive(record.labs_dir() / ".lock"):
            known = record.load(self.folder / "lab.json") or record.new(self.name)
            if known.vms or known.ports or (known.nodes and not known.control_planes):
                raise RacewayError(f"lab {self.name}", "has nodes of another kind", act="choose another --name")
            wanted = count if count is not None else len(known.nodes) or DEFAULT_NODES
            of_them = control_planes if control_planes is not None else known.control_planes or DEFAULT_CONTROL_PLANES
            if not 1 <= wanted <= MOST_NODES:
                raise RacewayError("Kubernetes nodes", str(wanted), f"1 to {MOST_NODES}", "give --nodes such a number")
            if not 1 <= of_them <= wanted:
                act = "give --control-planes such a number; an odd one keeps etcd's majority longest"
                raise RacewayError("--control-planes", str(of_them), f"1 to {wanted}, the number of nodes", act)
            if known.control_planes and of_them != known.control_planes:
                act = "run raceway lab down first: what a node is for is decided when it joins"
                raise RacewayError("--control-planes", str(of_them), str(known.control_planes), act)
            known = dataclasses.replace(self._plan_nodes(known, wanted), control_planes=of_them)
            record.save(self.folder / "lab.json", known)
        return known

    def _up_nodes(self, known: Record, laid: given.Given) -> None:
        podman = Podman(self.folder / "run")
        nodes.wait_for_strays(known.id)
        ssh.prepare(self.folder / "ssh", known.nodes)
        files.folder(self.folder / "shared", 0o755)
        host.hold(self.folder, len(known.nodes))
        nodes.ensure_network(podman, known, self.folder)
        nodes.ensure_containers(podman, known, self.folder, self.steps, container.arguments)
        nodes.wait_ready(known, self.folder, self.steps)
        generated = inventory.generated(known, self.folder, laid, needs.Host.seen())
        files.write_if_changed(self.inventory_path, json.dumps(generated, indent=2) + "\n")

    def _give_back(self) -> None:
        images.sweep()
        host.remove_groups(f"raceway-{self.name}-{self.name}-", self.folder / "run" / "groups")
        for name in host.give_back(self.folder):
            self.steps.say(f"host: {name.replace('/', '.')} is as before")

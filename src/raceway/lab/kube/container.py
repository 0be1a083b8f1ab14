"""The podman arguments of a node that runs a kubelet: privileged, with volumes of its own and the lab's archives.

A kubelet mounts volumes, makes control groups and sets kernel parameters; no smaller set of rights lets it. What it
changes on the host is noted and put back by ``host``. The data of containerd, kubelet and etcd lie in volumes that go
with the container: overlayfs does not stack on the container's own overlay. It deliberately shows a node nothing of the
host but two folders of the lab: programs and images, read-only, and one that stands for a site's shared file system.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..container import labels, spec
from ..podman import LABEL_SPEC
from ..record import Node, Record

VOLUMES = ("/var/lib/containerd", "/var/lib/kubelet", "/var/lib/etcd")
# Where a node finds what lies in the lab's folder "kube".
GIVEN = "/opt/raceway"
# All nodes share this folder, as a site's nodes share a file system for checkpoints.
SHARED = "/srv/shared"


def arguments(record: Record, node: Node, folder: Path, bounding: int) -> list[str]:
    """``podman run`` for one node; ``folder`` is the lab's folder. A privileged node gets all of ``bounding``."""
    del bounding  # podman asks the kernel itself
    flags = [
        "run",
        "--detach",
        "--pull=never",
        f"--name={node.container}",
        f"--hostname={node.name}",
        f"--network={record.network}",
        f"--ip={node.address}",
        # The same after every start: with another one the peers talk to the old one for up to half a minute (measured).
        f"--mac-address={mac(node)}",
        "--privileged",
        # podman's own systemd mode would bind the host's shared name=systemd tree on cgroup v1.
        "--systemd=false",
        "--cgroupns=private",
        "--env=container=podman",
        # The name of the node's own control groups where the host has no tree for them.
        f"--env=RACEWAY_NODE={node.container}",
        "--stop-signal=SIGRTMIN+3",
        "--stop-timeout=20",
        "--tmpfs=/run:rw,mode=755",
        "--tmpfs=/run/lock:rw",
        "--tmpfs=/tmp:rw,mode=1777",
        *[f"--volume={place}" for place in VOLUMES],
        f"--volume={folder / 'kube'}:{GIVEN}:ro",
        f"--volume={folder / 'shared'}:{SHARED}",
        f"--volume={folder / 'ssh' / 'nodes' / node.name}:/etc/ssh/lab:ro",
    ]
    return [*flags, *labels(record, folder), f"--label={LABEL_SPEC}={spec(flags, record.image)}", record.image]


def mac(node: Node) -> str:
    """The node's own locally administered address, from the name of its container."""
    digest = hashlib.sha256(node.container.encode()).hexdigest()
    return ":".join(["02", *(digest[index : index + 2] for index in range(0, 10, 2))])

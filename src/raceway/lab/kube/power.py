"""Switches a Kubernetes node off and on: an orderly shutdown, a power cut, and the start after either.

podman's own ``stop`` tears the node's network down at the same time as the cleanup that follows every end of a
container; when the two meet, the address stays taken and the node never starts again (podman 4.3). So the node is told
to end and only the cleanup works. It deliberately makes nothing anew: a node's data outlive its power.
"""

from __future__ import annotations

import time

from raceway.errors import RacewayError

from ..podman import Podman
from ..record import Node

ORDERLY, CUT = "SIGRTMIN+3", "SIGKILL"
STOP_S = 25.0


def off(podman: Podman, node: Node, signal: str = ORDERLY) -> float:
    """End the node and wait until podman has cleaned up behind it; return the seconds that took."""
    began = time.monotonic()
    if state(podman, node) == "running":
        podman.run(["kill", "--signal", signal, node.container])
    if not _wait(podman, node, STOP_S):
        podman.run(["kill", "--signal", CUT, node.container], check=False)
        if not _wait(podman, node, STOP_S):
            act = f"look at `podman inspect {node.container}`"
            raise RacewayError(node.name, f"does not end, its container is {state(podman, node)}", "exited", act)
    return time.monotonic() - began


def on(podman: Podman, node: Node) -> None:
    """Start a node that is off; one that runs is left alone."""
    if state(podman, node) != "running":
        podman.run(["start", node.container])


def state(podman: Podman, node: Node) -> str:
    """What podman says of the node's container: running, stopped (not cleaned up yet), exited, or missing."""
    found = podman.run(["inspect", "--format", "{{.State.Status}}", node.container], check=False)
    return found.stdout.strip() if found.returncode == 0 else "missing"


def _wait(podman: Podman, node: Node, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while (now := state(podman, node)) not in ("exited", "created") and time.monotonic() < until:
        if now == "missing":
            raise RacewayError(node.name, "its container is not there", act="run raceway lab up --kubernetes")
        time.sleep(0.1)
    return now in ("exited", "created")

"""Brings the container nodes of a lab up, shows them, and removes them: each step first looks at what is there.

Everything is found again by the names in the record and the lab's id in its label. It deliberately leaves a container
or network alone that has the right name and another id: it says whose it is.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from . import container, processes, ssh
from .podman import LABEL_HOME, LABEL_ID, LABEL_SPEC, Podman
from .progress import Steps
from .record import Node, Record

BOOT_SECONDS, STRAY_SECONDS = 180.0, 60.0
# podman takes a lock for each container; more threads than this only wait for each other.
AT_ONCE = 4
# Makes the words of ``podman run`` from the lab, the node, the lab's folder and the host's own rights.
Arguments = Callable[[Record, Node, Path, int], list[str]]


@dataclass(frozen=True)
class NodeState:
    """A node as it is: the container's state, ssh, and what systemd says."""

    name: str
    container: str
    address: str
    state: str
    ssh: bool
    system: str
    failed_units: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Usable: reached by ssh and booted. `degraded` is shown with its units, and usable."""
        return self.ssh and self.system in ("running", "degraded")


def used_networks(podman: Podman) -> list[str]:
    """Networks this host uses: addresses, routes of all tables, podman networks (also of other labs)."""
    found = []
    for arguments in (["route", "show", "table", "all"], ["addr", "show"]):
        result = subprocess.run(["ip", "-j", "-4", *arguments], capture_output=True, text=True, check=False)
        for entry in json.loads(result.stdout or "[]"):
            found.append(str(entry.get("dst", "")))
            found += [f"{info.get('local')}/{info.get('prefixlen')}" for info in entry.get("addr_info", [])]
    for network in podman.networks():
        found += [str(part.get("subnet", "")) for part in network.get("subnets") or []]
    return found


def wait_for_strays(lab_id: str) -> None:
    """Wait for podman calls of a killed ``up`` that still make something of this lab (its label tells)."""
    until = time.monotonic() + STRAY_SECONDS
    while lab_id and (left := processes.with_argument(f"{LABEL_ID}={lab_id}")):
        if time.monotonic() > until:
            raise RacewayError(
                f"podman (pid {left[0].pid})",
                f"has been at work for {STRAY_SECONDS:.0f} s",
                act="stop it and run again",
            )
        time.sleep(0.1)


def network_exists(podman: Podman, record: Record) -> bool:
    """Is the lab's own network there? One of that name that is not the lab's is an error."""
    for network in podman.networks():
        if network["name"] == record.network:
            _own(network.get("labels") or {}, record, f"podman network {record.network}")
            return True
    return False


def ensure_network(podman: Podman, record: Record, folder: Path) -> None:
    """Make the lab's network if it is not there."""
    if network_exists(podman, record):
        return
    podman.run(
        [
            "network",
            "create",
            "--disable-dns",
            "--subnet",
            record.subnet,
            *container.labels(record, folder),
            record.network,
        ]
    )


def ensure_containers(
    podman: Podman, record: Record, folder: Path, steps: Steps, arguments: Arguments = container.arguments
) -> None:
    """Start each node's container, make those that are missing or were made otherwise, remove surplus ones."""
    there = {names[0]: item for item in podman.containers() if (names := item.get("Names"))}
    wanted = {node.container for node in record.nodes}
    surplus = [
        name
        for name, item in there.items()
        if (item.get("Labels") or {}).get(LABEL_ID) == record.id and name not in wanted
    ]
    if surplus:
        remove(podman, surplus)
    bounding = container.bounding_set(Path("/proc/self/status").read_text())

    def ensure(node: Node) -> None:
        _ensure_one(podman, record, node, there.get(node.container), arguments(record, node, folder, bounding))

    with steps.count(f"containers of {record.name}", len(record.nodes)) as advance:
        _each(record.nodes, ensure, advance)


def _ensure_one(podman: Podman, record: Record, node: Node, item: dict[str, Any] | None, arguments: list[str]) -> None:
    if item is not None:
        labels = item.get("Labels") or {}
        _own(labels, record, f"container {node.container}")
        same = f"--label={LABEL_SPEC}={labels.get(LABEL_SPEC)}" in arguments
        if same and item["State"] == "running":
            return
        # A container that a kill left half-made does not start; it is made anew then.
        if same and podman.run(["start", node.container], check=False).returncode == 0:
            return
        remove(podman, [node.container])
    podman.run(arguments)


def wait_ready(record: Record, folder: Path, steps: Steps) -> list[NodeState]:
    """Wait until every node answers over ssh and has booted; fail naming those that do not."""
    until, stop = time.monotonic() + BOOT_SECONDS, threading.Event()

    def wait(node: Node) -> NodeState:
        state = probe(node, folder, "running")
        while not state.ok and time.monotonic() < until and not stop.is_set():
            time.sleep(0.2)
            state = probe(node, folder, "running")
        return state

    with steps.count(f"nodes of {record.name} boot", len(record.nodes)) as advance:
        states = _each(record.nodes, wait, advance, at_once=16, stop=stop)
    late = [state for state in states if not state.ok]
    if late:
        first = late[0]
        raise RacewayError(
            ", ".join(state.name for state in late),
            f"not ready after {BOOT_SECONDS:.0f} s (ssh "
            f"{'answers' if first.ssh else 'does not answer'}, system {first.system or 'unknown'})",
            act=f"look at `podman logs {first.container}` and `podman exec {first.container} systemctl list-jobs`",
        )
    for state in states:
        if state.failed_units:
            steps.say(f"{state.name}: degraded, failed units: {', '.join(state.failed_units)}")
    return states


def probe(node: Node, folder: Path, container_state: str) -> NodeState:
    """Ask one node over ssh; no answer is an answer too."""
    script = "systemctl is-system-running; systemctl list-units --failed --plain --no-legend"
    command = ssh.command(node.name, folder, script)
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=15, check=False
        )
        lines = result.stdout.splitlines()
    except subprocess.TimeoutExpired:
        lines = []
    failed = tuple(line.split()[0] for line in lines[1:] if line.strip())
    return NodeState(
        node.name, node.container, node.address, container_state, bool(lines), lines[0] if lines else "", failed
    )


def states(podman: Podman, record: Record, folder: Path) -> list[NodeState]:
    """All nodes as they are now."""
    there = {
        names[0]: item for item in podman.containers(f"label={LABEL_ID}={record.id}") if (names := item.get("Names"))
    }

    def look(node: Node) -> NodeState:
        item = there.get(node.container)
        if item is None or item["State"] != "running":
            return NodeState(node.name, node.container, node.address, item["State"] if item else "missing", False, "")
        return probe(node, folder, "running")

    return _each(record.nodes, look, lambda done, text: None, at_once=16)


def remove(podman: Podman, names: list[str]) -> None:
    """Remove containers at once: nothing in them is kept."""
    podman.run(["rm", "--force", "--time", "0", "--volumes", *names], timeout=300)


def remove_all(podman: Podman, label: str) -> tuple[int, int]:
    """Remove the containers and networks with this label; say how many of each."""
    containers = [item["Id"] for item in podman.containers(f"label={label}")]
    if containers:
        remove(podman, containers)
    key, _, value = label.partition("=")
    networks = [item["name"] for item in podman.networks() if (item.get("labels") or {}).get(key) == value]
    for name in networks:
        podman.run(["network", "rm", "--force", name])
    return len(containers), len(networks)


def _own(labels: dict[str, str], record: Record, what: str) -> None:
    if labels.get(LABEL_ID) == record.id:
        return
    raise RacewayError(
        what,
        f"belongs to the lab in {labels[LABEL_HOME]}" if LABEL_HOME in labels else "was not made by a lab",
        act=f"choose another --name than {record.name}, or remove that one first",
    )


def _each(
    nodes: Iterable[Node],
    work: Callable[[Node], Any],
    advance: Callable[[int, str], None],
    at_once: int = AT_ONCE,
    stop: threading.Event | None = None,
) -> list[Any]:
    """Do ``work`` for all nodes, several at once; results in order of the nodes.

    An error or Ctrl-C keeps those not begun from beginning, and sets ``stop`` for those that wait.
    """
    ordered, stop = list(nodes), stop or threading.Event()
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        futures = {pool.submit(work, node): node for node in ordered}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                advance(done, futures[future].name)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]

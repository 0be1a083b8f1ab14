"""What one run costs: wall time, CPU-seconds of the controller and of the nodes, bytes on the nodes' interfaces.

CPU is read from control groups (v1 or v2), so that detached ssh masters and everything a tool leaves running on a node
count too. It deliberately takes no samples: all figures are differences of counters before and after.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceway.errors import RacewayError

CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = f"raceway-bench-{os.getpid()}"
RUN_TIMEOUT_S = 1200


@dataclass(frozen=True)
class Cost:
    """One run. CPU in seconds, bytes both ways; node figures are sums over all nodes."""

    wall: float
    controller_cpu: float
    node_cpu: float
    wire_bytes: int
    rc: int
    out: str


@dataclass(frozen=True)
class Container:
    """Where a node's counters are: its control group and the process whose network namespace it is."""

    cgroup: str
    pid: int


def containers(names: Sequence[str]) -> list[Container]:
    """Look the nodes' containers up."""
    form = "{{.State.CgroupPath}} {{.State.Pid}}"
    found = subprocess.run(["podman", "inspect", "--format", form, *names], capture_output=True, text=True, check=True)
    return [Container(line.split()[0], int(line.split()[1])) for line in found.stdout.splitlines()]


def cpu_seconds(group: str) -> float:
    """CPU-seconds of a control group and all below it."""
    old = CGROUPS / "cpuacct" / group.lstrip("/") / "cpuacct.usage"
    if old.exists():
        return int(old.read_text()) / 1e9
    text = (CGROUPS / group.lstrip("/") / "cpu.stat").read_text()
    return int(text.split("usage_usec", 1)[1].split()[0]) / 1e6


def interface_bytes(text: str) -> int:
    """Bytes received and sent of all interfaces but lo, from the text of /proc/PID/net/dev."""
    rows = [line.partition(":") for line in text.splitlines()[2:]]
    return sum(int(row.split()[0]) + int(row.split()[8]) for name, _, row in rows if name.strip() != "lo")


def refuse_load(limit: float, force: bool) -> float:
    """Return the load; fail where it is above the limit: a busy machine measures itself."""
    load = os.getloadavg()[0]
    if load > limit and not force:
        raise RacewayError("load of this machine", f"{load:.2f}", f"up to {limit}", "wait, or add --force")
    return load


def measure(command: Sequence[str], env: Mapping[str, str], folder: Path, nodes: Sequence[Container]) -> Cost:
    """Run a command in a control group of its own and return what it cost."""
    group = _own_group()
    before = _reading(nodes)
    start = time.perf_counter()
    done = subprocess.run(
        ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *command],
        env=dict(env),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )
    wall = time.perf_counter() - start
    after = _reading(nodes)
    own, node, wire = (late - early for early, late in zip(before, after, strict=True))
    return Cost(wall, own, node, int(wire), done.returncode, done.stdout)


def _reading(nodes: Sequence[Container]) -> tuple[float, float, float]:
    wire = sum(interface_bytes(Path(f"/proc/{node.pid}/net/dev").read_text()) for node in nodes)
    return cpu_seconds(OWN_GROUP), sum(cpu_seconds(node.cgroup) for node in nodes), float(wire)


def close() -> None:
    """Remove the control group; nothing runs in it any more once the ssh masters are closed."""
    group = _own_group()
    for _ in range(50):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.1)
        else:
            return


def _own_group() -> Path:
    old = CGROUPS / "cpuacct"
    group = (old if old.is_dir() else CGROUPS) / OWN_GROUP
    group.mkdir(exist_ok=True)
    return group

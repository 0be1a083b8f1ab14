"""What a host must have for Kubernetes nodes in containers, told in one message before anything is made.

Both generations of control groups will do. It deliberately judges by what the kernel says it has, not by its version.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from raceway.errors import RacewayError

from ..container import OPTIONAL, bounding_set

CONTROLLERS = ("cpu", "cpuset", "memory", "pids")
# cgroup v1 has these as controllers of their own; v2 does their work otherwise.
CONTROLLERS_V1 = (*CONTROLLERS, "cpuacct", "devices", "freezer", "blkio")
FILE_SYSTEMS = ("overlay", "tmpfs")


@dataclass(frozen=True)
class Host:
    """The machine under the nodes. ``cgroup``: 1 or 2. ``may_raise_limits``: CAP_SYS_RESOURCE is there to be given."""

    cgroup: int
    may_raise_limits: bool
    cpus: int
    memory_gib: int

    @staticmethod
    def seen(root: Path = Path("/")) -> Host:
        """The host as it is."""
        bounding = bounding_set((root / "proc/self/status").read_text())
        rows = dict(line.split(":", 1) for line in (root / "proc/meminfo").read_text().splitlines() if ":" in line)
        return Host(
            2 if (root / "sys/fs/cgroup/cgroup.controllers").exists() else 1,
            bool(bounding >> OPTIONAL["SYS_RESOURCE"] & 1),
            os.cpu_count() or 1,
            max(1, int(rows["MemTotal"].split()[0]) // (1 << 20)),
        )


def check(root: Path = Path("/")) -> None:
    """Fail with one message that names everything this host's kernel lacks."""
    lacking = [f"the file system {name}" for name in FILE_SYSTEMS if name not in _file_systems(root)]
    lacking += [f"the control-group controller {name}" for name in _absent(root)]
    if lacking:
        act = (
            "boot a kernel that has them; on cgroup v2 look at cgroup_disable= and at what is delegated to this session"
        )
        raise RacewayError("Kubernetes nodes", f"this host lacks {', '.join(lacking)}", act=act)


def _absent(root: Path) -> list[str]:
    v2 = root / "sys/fs/cgroup/cgroup.controllers"
    if v2.exists():
        there = v2.read_text().split()
        return [name for name in CONTROLLERS if name not in there]
    mounted = {path.name for path in (root / "sys/fs/cgroup").glob("*")}
    return [name for name in CONTROLLERS_V1 if not any(name in words.split(",") for words in mounted)]


def _file_systems(root: Path) -> set[str]:
    """``nodev\toverlay`` a line."""
    return {line.split()[-1] for line in (root / "proc/filesystems").read_text().splitlines() if line.strip()}

"""What a machine is, as far as pods depend on it: swap, cgroups, forwarding, tools, room on disks, its clock.

``/proc/swaps`` has a heading and one line an area; CPUs are a list as the kernel writes it::

    Filename				Type		Size		Used		Priority
    /dev/vda3                               partition	2097148		0		-2
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class Disk:
    """Room below a folder, in bytes and files. ``files`` 0: the file system counts none."""

    total: int
    free: int
    files: int = 0
    files_free: int = 0

    @property
    def used_percent(self) -> int:
        """How full it is, as the kubelet counts it: what is not available to it counts as used."""
        return 100 - 100 * self.free // self.total if self.total else 0


@dataclass(frozen=True)
class KubeHostFacts:
    """``cgroup``: version 1 or 2, 0 where none is mounted. ``missing``: programs that are not there.

    ``packages``: those of the declared packages that are still to be installed. ``clock``: steered by a time service;
    ``ahead_s``: seconds before the API server's clock; both None where they cannot be told. ``numa``: node numbers.
    """

    swaps: Tuple[str, ...] = ()
    cgroup: int = 2
    systemd: bool = True
    missing: Tuple[str, ...] = ()
    packages: Tuple[str, ...] = ()
    forward: str = "1"
    conntrack: bool = True
    disks: Mapping[str, Disk] = field(default_factory=dict)
    clock: Optional[bool] = None
    ahead_s: Optional[float] = None
    cpus: Tuple[int, ...] = ()
    numa: Tuple[int, ...] = ()


def parse_swaps(text: str) -> Tuple[str, ...]:
    """Return the swap areas in use. Compressed memory (zram) is one too: the kubelet makes no difference."""
    return tuple(line.split()[0] for line in text.splitlines()[1:] if line.strip())

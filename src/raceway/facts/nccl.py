"""What sysfs says of RDMA ports, what a library's file says, and which package versions are installed.

Input, below ``/sys/class/infiniband/mlx5_0``: the target of the link ``device``, ``node_guid``, and of each port::

    ../../../0000:1a:00.0
    b83f:d203:0000:1a00
    4: ACTIVE

It deliberately keeps a port that is down: which ports there are must not change with a cable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, Iterable, Mapping, Optional, Tuple

from .gid import Gid, address_of, kind_of

ETHERNET = "Ethernet"
INFINIBAND = "InfiniBand"
ACTIVE = "ACTIVE"
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass(frozen=True)
class RdmaPort:
    """One port of one RDMA device. ``link_layer``: Ethernet or InfiniBand; ``state``: ACTIVE, DOWN, INIT, ARMED.

    ``gids`` is None where the table was not read, which is not the same as an empty one.
    """

    device: str
    pci: str = ""
    guid: str = ""
    port: int = 1
    link_layer: str = ETHERNET
    state: str = ACTIVE
    gids: Optional[Tuple[Gid, ...]] = None

    @property
    def label(self) -> str:
        """``mlx5_0:1``, as NCCL's list has it."""
        return f"{self.device}:{self.port}"

    @property
    def card(self) -> str:
        """The PCI address without its function: ports of one card share it."""
        return self.pci.rpartition(".")[0]


@dataclass(frozen=True)
class NcclFacts:
    """``files``: path → text of the libraries' files and the administrator's own; ``owned``: files that are ours.

    ``versions``: package → installed version; ``topology``: whether the declared topology file is there;
    ``sharp_plugins``: paths of plugins that can be SHARP's; ``opensm``: whether a subnet manager runs here.
    """

    ports: Tuple[RdmaPort, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    owned: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    manager: str = ""
    topology: bool = False
    sharp_plugins: Tuple[str, ...] = ()
    opensm: bool = False


def parse_pci(target: str) -> str:
    """Return the PCI address a ``device`` link ends in, or the empty string (soft-RoCE has no card).

    >>> parse_pci("../../../0000:1a:00.0"), parse_pci("../../rxe0")
    ('0000:1a:00.0', '')
    """
    name = target.strip().rstrip("/").rpartition("/")[2]
    return name if _PCI.fullmatch(name) else ""


def parse_state(text: str) -> str:
    """Return the word of a port's state.

    >>> parse_state("4: ACTIVE\\n"), parse_state("")
    ('ACTIVE', 'unknown')
    """
    return text.partition(":")[2].strip() or "unknown"


def parse_gid(index: int, address: str, kind: Optional[str]) -> Optional[Gid]:
    """Return an entry of a RoCE port's table, or None for an unused one: zero, or of a kind that cannot be read."""
    found, version = address_of(address), kind_of(kind)
    return Gid(index, found, version) if found and version else None


def parse_conf(text: str) -> Dict[str, str]:
    """Return what NCCL takes from a file: ``KEY=VALUE`` without trimming, a comment only where # is the first sign.

    >>> parse_conf("# x\\nNCCL_IB_HCA==mlx5_0\\nNCCL_IB_TC=106 # DSCP 26\\n")
    {'NCCL_IB_HCA': '=mlx5_0', 'NCCL_IB_TC': '106 # DSCP 26'}
    """
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    found: Dict[str, str] = {}
    for name, equals, value in lines:
        if equals:
            found.setdefault(name, value)  # NCCL never overwrites what is set
    return found


def parse_versions_dpkg(text: str, names: Iterable[str]) -> Dict[str, str]:
    """Return name → version of those of ``names`` that dpkg's status file has as installed."""
    wanted, found = set(names), {}
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != " ")
        if fields.get("Package") in wanted and fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields.get("Version", "")
    return found


def parse_versions_rpm(text: str) -> Dict[str, str]:
    r"""Return name → version from ``rpm -q --qf '%{NAME} %{VERSION}-%{RELEASE}\n'``; absent ones print a sentence."""
    rows = (line.split() for line in text.splitlines())
    return {words[0]: words[1] for words in rows if len(words) == 2}

"""What ``nvidia-smi topo -m`` says: how GPUs and NICs reach each other, and the CPUs and NUMA node of each GPU.

        GPU0	GPU1	NIC0	CPU Affinity	NUMA Affinity	GPU NUMA ID
    GPU0	 X 	NV18	PIX	0-55	0		N/A
    NIC0	PIX	SYS	 X

It deliberately takes no cell by its position among tabs: they are doubled where a heading is wide, headings hold a
blank, and the last ones came with later drivers (Project-HAMi/HAMi#99). ``N/A`` is None; a legend's lines are no rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Tuple

from .reading import number
from .verdict import ended, known, problem

WIDE = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
WORDS = re.compile("|".join((*WIDE, r"[^\s|]+")))
NIC = re.compile(r"\s*(NIC\d+): (\S+)$")


@dataclass(frozen=True)
class Row:
    """One device. ``paths``: other device → ``NV18``, ``PIX``, ``PXB``, ``PHB``, ``NODE``, ``SYS``; not itself.

    ``cpus``: list as printed (``0-55,112-167``); ``numa``: the nearest node, None where unknown or several (then
    ``numa_text`` has it); ``gpu_numa``: node of the GPU's own memory. NICs have none of these.
    """

    name: str
    paths: Mapping[str, str] = field(default_factory=dict)
    cpus: Optional[str] = None
    numa: Optional[int] = None
    numa_text: Optional[str] = None
    gpu_numa: Optional[int] = None


@dataclass(frozen=True)
class Topology:
    """The matrix in the order of the tool. ``nics``: RDMA device by the matrix's name (``NIC0`` → ``mlx5_0``)."""

    rows: Tuple[Row, ...] = ()
    nics: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def row(self, name: str) -> Optional[Row]:
        """Return one device's row by its name, None where there is none."""
        return next((row for row in self.rows if row.name == name), None)


def parse(text: str) -> Topology:
    """Read the whole output."""
    devices: List[str] = []
    wide: List[str] = []
    rows: List[Row] = []
    nics: Dict[str, str] = {}
    rest: List[str] = []
    legend = False
    shown, half = ended(text)
    for line in shown:
        words = WORDS.findall(line)
        legend = legend or line.strip() == "Legend:"
        named = NIC.match(line)
        if named:
            nics[named[1]] = named[2]
        elif not devices and words and words[0].startswith("GPU") and "X" not in words:
            devices = [word for word in words if word not in WIDE]
            wide = [word for word in words if word in WIDE]
        elif words and words[0] in devices and not legend:
            rows.append(_row(words, devices, wide))
        elif line.strip() != "NIC Legend:" and not legend:
            rest.append(line)
    have = {row.name: row for row in rows}
    short = [f"row {name}" for name in devices if name not in have or len(have[name].paths) < len(devices) - 1]
    return Topology(tuple(rows), nics, problem("nvidia-smi topo -m", bool(devices), rest, short, half))


def _row(words: List[str], devices: List[str], wide: List[str]) -> Row:
    name, cells = words[0], words[1:]
    paths = {other: cell for other, cell in zip(devices, cells) if other != name}
    # Empty cells stand in rows of NICs alone, which have none of the wide ones.
    more = dict(zip(wide, cells[len(devices) :]))
    numa = known(more.get("NUMA Affinity"))
    return Row(
        name=name,
        paths=paths,
        cpus=known(more.get("CPU Affinity")),
        numa=number(numa),
        numa_text=numa,
        gpu_numa=number(more.get("GPU NUMA ID")),
    )

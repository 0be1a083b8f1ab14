"""What ``nvidia-smi nvlink -s`` says of each GPU's links.

    GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-6968dfc2-d444-d92c-c36b-6abe53445cb9)
             Link 0: 26.562 GB/s
             Link 4: <inactive>

It deliberately gives an inactive link no speed, and does not say how many links there should be: a PCIe card has some
inactive by design.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

from .reading import decimal
from .verdict import ended, problem

GPU = re.compile(r"GPU (\d+): (.*?)(?: \(UUID: ([^)]+)\))?$")
LINK = re.compile(r"\s+Link (\d+):\s*(.*)$")
SPEED = re.compile(r"([0-9]+(?:[.,][0-9]+)?) ?GB/s$")


@dataclass(frozen=True)
class NvLink:
    """One link. ``gbytes_per_s``: speed in one direction. ``active``: None where neither speed nor inactive is said."""

    number: int
    active: Optional[bool] = None
    gbytes_per_s: Optional[float] = None


@dataclass(frozen=True)
class Gpu:
    """One GPU and its links in the order of the tool."""

    index: int
    name: str = ""
    uuid: str = ""
    links: Tuple[NvLink, ...] = ()

    @property
    def active(self) -> int:
        """Return how many links are up."""
        return sum(link.active is True for link in self.links)


@dataclass(frozen=True)
class NvLinks:
    """All GPUs of one machine."""

    gpus: Tuple[Gpu, ...] = ()
    problem: str = ""


def parse(text: str) -> NvLinks:
    """Read the whole output."""
    gpus: List[Gpu] = []
    rest: List[str] = []
    shown, half = ended(text)
    for line in shown:
        gpu, link = GPU.match(line), LINK.match(line)
        if gpu:
            gpus.append(Gpu(int(gpu[1]), gpu[2], gpu[3] or ""))
        elif link and gpus:
            gpus[-1] = replace(gpus[-1], links=(*gpus[-1].links, _link(int(link[1]), link[2])))
        else:
            # "Unable to retrieve NVLink information" stands below the GPU it is about and does not repeat its name.
            rest.append(f"{line.strip()} (GPU {gpus[-1].index})" if gpus and line[:1].isspace() else line)
    odd = [f"GPU {gpu.index} link {link.number}" for gpu in gpus for link in gpu.links if link.active is None]
    bare = [f"links of GPU {gpu.index}" for gpu in gpus if not gpu.links]
    return NvLinks(tuple(gpus), problem("nvidia-smi nvlink -s", bool(gpus), rest, [*odd, *bare], half))


def _link(index: int, said: str) -> NvLink:
    speed = SPEED.match(said)
    if speed:
        # Drivers of a localised system write a comma.
        value = decimal(speed[1].replace(",", "."))
        return NvLink(index, bool(value), value if value else None)
    return NvLink(index, False if said.lower() == "<inactive>" else None)

r"""By which way a GPU's memory can be reached by a NIC: DMA-BUF, or a peer-memory client of the driver.

Read from ``/proc/driver/nvidia/version``, ``/boot/config-<kernel>`` and ``/proc/kallsyms``::

    NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (dvs-builder@U22)
    CONFIG_PCI_P2PDMA=y
    0000000000000000 T ib_register_peer_memory_client	[ib_core]

DMA-BUF wants the open kernel modules, kernel 5.12 and PCI_P2PDMA. A peer-memory client wants an ``ib_core`` that has
clients at all: the vendor's has, the kernel's own has not (Mellanox/nv_peer_memory#63, #116).
It deliberately gives None for what it cannot see: a config that is not there says nothing about the kernel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Tuple

SYMBOL = "ib_register_peer_memory_client"
_VERSION = re.compile(r"^NVRM version:\s+NVIDIA UNIX (Open )?.*?\s([0-9]+(?:\.[0-9]+)+)\s", re.MULTILINE)


@dataclass(frozen=True)
class GpuFacts:
    """``vendor``: nvidia, amd, ascend or empty; ``driver``: version of the loaded one; ``open``: its open modules.

    ``kernel``: release; ``p2pdma``, ``peer_api``: None where it cannot be seen; ``peermem``: the module is loaded.
    """

    vendor: str = ""
    driver: str = ""
    open: Optional[bool] = None
    kernel: str = ""
    p2pdma: Optional[bool] = None
    peer_api: Optional[bool] = None
    peermem: bool = False


def parse_driver(text: str) -> Tuple[str, Optional[bool]]:
    """Return the driver's version and whether its modules are the open ones; nothing for a text that is none.

    >>> parse_driver("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\\n")
    ('570.86.15', True)
    >>> parse_driver("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun\\n"), parse_driver("")
    (('535.54.03', False), ('', None))
    """
    found = _VERSION.search(text)
    return (found[2], bool(found[1])) if found else ("", None)


def parse_config(text: Optional[str]) -> Optional[bool]:
    """Return whether a kernel's configuration has PCI_P2PDMA; None without one.

    >>> parse_config("CONFIG_PCI_P2PDMA=y\\n"), parse_config("# CONFIG_PCI_P2PDMA is not set\\n"), parse_config(None)
    (True, False, None)
    """
    return None if not text else bool(re.search(r"^CONFIG_PCI_P2PDMA=y$", text, re.MULTILINE))


def parse_symbols(text: Optional[str]) -> Optional[bool]:
    """Return whether the kernel's symbols hold the peer-memory interface; None where they cannot be read."""
    return None if not text else re.search(rf"\b{SYMBOL}\b", text) is not None


def at_least(release: str, wanted: Tuple[int, int]) -> Optional[bool]:
    """Return whether a kernel release is of a version or newer; None for a text that is none.

    >>> at_least("5.15.0-1064-nvidia", (5, 12)), at_least("5.4.0", (5, 12)), at_least("", (5, 12))
    (True, False, None)
    """
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) >= wanted if found else None

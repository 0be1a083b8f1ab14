"""Where devices and accelerators stand on the PCI bus: which bridges are above each of them.

Input is where the links of ``/sys/bus/pci/devices`` lead, and of each function its vendor and class::

    ../../../devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:02.0/0000:43:00.0
    0x10de 0x030200

It deliberately takes every bridge above a NIC or an accelerator for part of their way: on a machine without a common
switch the root ports decide, and those that redirect are as often AMD's or Intel's as a switch vendor's.
"""

from __future__ import annotations

import re
from typing import Dict, Iterable, Mapping, Tuple

from .lspci import Bus
from .machine import count_accelerators
from .rdma import BusFacts, FunctionFacts

_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def above(link: str) -> Tuple[str, ...]:
    """Return the bridges above a function, from the root, as its link shows them.

    >>> above("../../../devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:43:00.0")
    ('0000:40:01.1', '0000:41:00.0')
    """
    return tuple(part for part in link.lower().split("/")[:-1] if _ADDRESS.fullmatch(part))


def accelerators(kinds: Mapping[str, Tuple[str, str]]) -> Dict[str, str]:
    """Return address → vendor's kind (nvidia, amd, ascend) from address → (vendor, class)."""
    found = {address: list(count_accelerators([pair])) for address, pair in kinds.items()}
    return {address: names[0] for address, names in sorted(found.items()) if names}


def build(bus: Bus, links: Mapping[str, str], cards: Iterable[str], gpus: Iterable[str]) -> BusFacts:
    """Return the facts of the declared cards, the accelerators, and all bridges above both."""
    places = {address: above(links[address]) for address in (*cards, *gpus) if address in links}
    wanted = {*places, *(bridge for bridges in places.values() for bridge in bridges)}
    shown = {one.address: one for one in bus.devices}
    functions = {
        address: FunctionFacts(one.acs, one.acs_bits or (), one.read_request)
        for address, one in shown.items()
        if address in wanted
    }
    return BusFacts(functions, places, tuple(gpus), problem=bus.problem)

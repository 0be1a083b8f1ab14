"""How a device or port is selected: by what cannot move, in the one spelling that all roles take.

The shapes are those of sysfs. A PCI domain has four digits or more: what stands behind a VMD controller is in domain
10000. It deliberately lists interface names nowhere: they change with drivers, slots and kernels. The name of an RDMA
device is here for lists that need one where no address exists; a role has to ask for it.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Pattern, Sequence, Tuple

PCI, MAC, GUID, DEVICE = "pci", "mac", "guid", "device"
SHAPES: Dict[str, Tuple[Pattern[str], str]] = {
    PCI: (re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.I), "a PCI address such as 0000:3b:00.0"),
    MAC: (re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.I), "a MAC address such as b8:3f:d2:00:00:01"),
    GUID: (re.compile(r"(?:[0-9a-f]{4}:){3}[0-9a-f]{4}", re.I), "a node GUID such as b83f:d203:0000:0001"),
    DEVICE: (re.compile(r"[A-Za-z0-9_.-]+"), "a device name such as mlx5_0"),
}


def given(row: Mapping[str, Any], allowed: Sequence[str]) -> List[str]:
    """Return which of the allowed selectors a declared row gives.

    >>> given({"pci": "0000:3b:00.0", "mac": "", "rail": 0}, ("pci", "mac"))
    ['pci']
    """
    return [name for name in allowed if row.get(name)]


def wrong(by: str, value: str) -> Optional[str]:
    """Return what a selector's value should look like where it does not, else None.

    >>> wrong("pci", "10000:01:00.0"), wrong("guid", "b83fd20300000001")
    (None, 'a node GUID such as b83f:d203:0000:0001')
    """
    shape, told = SHAPES[by]
    return None if shape.fullmatch(value) else told

"""What ``lspci -vvv`` says of each device: ACS, the link's speed and width against what it can, request sizes.

    41:00.0 PCI bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge (prog-if 00 [Normal decode])
                LnkSta:	Speed 8GT/s (downgraded), Width x16
                ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

It deliberately knows four answers about ACS besides "unknown", and gives "unknown" whenever it cannot see: without root
lspci prints ``Capabilities: <access denied>``, with a single -v it names the capability and not its bits. Neither
means that ACS is off (NVIDIA/nccl#304, #606, #2079). No vendor is special.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .reading import decimal, joined, number
from .verdict import ended, problem

HEAD = re.compile(
    r"((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]) (?:\"?)([^:\"]+?)(?: \[[0-9a-fA-F]{4}\])?: (.*)$"
)
LINK = re.compile(r"Speed ([0-9.]+)GT/s.*?Width x([0-9]+)")
REDIRECTS = ("ReqRedir", "CmpltRedir", "UpstreamFwd")


@dataclass(frozen=True)
class Link:
    """One PCIe link. ``speed_gts``: GT/s a lane; ``width``: lanes, 0 with nothing behind the port."""

    speed_gts: Optional[float] = None
    width: Optional[int] = None


@dataclass(frozen=True)
class Device:
    """One function. ``address``: with its domain, as sysfs has it; ``kind``: class in words (``PCI bridge``).

    ``acs``: ``redirect`` (peer traffic is sent up to the root: GPU and NIC do not talk directly), ``source`` (only
    SrcValid or other bits), ``off``, ``absent``, ``unknown``; ``acs_bits``: names that are on in ACSCtl.
    ``capable``/``link``: what the link can and does; ``slower``: it does less; None where one side is not known.
    ``payload``/``read_request``: bytes in force.
    """

    address: str
    kind: str = ""
    name: str = ""
    bridge: bool = False
    acs: str = "unknown"
    acs_bits: Optional[Tuple[str, ...]] = None
    capable: Link = Link()
    link: Link = Link()
    slower: Optional[bool] = None
    payload: Optional[int] = None
    read_request: Optional[int] = None
    numa: Optional[int] = None
    driver: Optional[str] = None


@dataclass(frozen=True)
class Bus:
    """All devices in the order of the tool. ``denied``: addresses whose capabilities need root and were not shown."""

    devices: Tuple[Device, ...] = ()
    denied: Tuple[str, ...] = ()
    problem: str = ""

    def bridges(self, acs: str) -> Tuple[str, ...]:
        """Return the addresses of bridges whose ACS gives this answer: ``redirect``, ``unknown`` …"""
        return tuple(one.address for one in self.devices if one.bridge and one.acs == acs)


def parse(text: str) -> Bus:
    """Read the output for any number of devices."""
    blocks: List[List[str]] = []
    rest: List[str] = []
    shown, half = ended(text)
    for line in shown:
        if HEAD.match(line):
            blocks.append([line])
        elif blocks and line[:1].isspace():
            blocks[-1].append(line)
        else:
            rest.append(line)
    # Of a function whose label the firmware spoils, pcilib complains; nothing else is missing then.
    rest = [line for line in rest if not (blocks and line.startswith("pcilib: "))]
    devices = [_device(block, complete=not half or block is not blocks[-1]) for block in blocks]
    denied = tuple(one.address for one, block in zip(devices, blocks) if any("<access denied>" in row for row in block))
    cut = [f"device {one.address}" for one in devices[-1:] if half]
    asked = f"access denied to the capabilities of {len(denied)} devices: run lspci as root" if denied else ""
    return Bus(tuple(devices), denied, joined(problem("lspci", bool(blocks), rest, cut, half), asked))


def address(text: str) -> str:
    """Return a PCI address as sysfs writes it.

    >>> address("5E:00.0"), address("00000000:5e:00.0")
    ('0000:5e:00.0', '0000:5e:00.0')
    """
    parts = text.lower().split(":")
    domain = int(parts[0], 16) if len(parts) == 3 else 0
    return f"{domain:04x}:{parts[-2]}:{parts[-1]}"


def _device(block: List[str], complete: bool) -> Device:
    head = HEAD.match(block[0])
    slot, kind, name = head.groups() if head else ("", "", "")
    shown = _shown(block[1:])
    capable, link = _link(shown.get("LnkCap")), _link(shown.get("LnkSta"))
    sizes = re.search(r"MaxPayload ([0-9]+) bytes, MaxReadReq ([0-9]+) bytes", "\n".join(block))
    bits = None if "ACSCtl" not in shown else tuple(re.findall(r"(\w+)\+", shown["ACSCtl"]))
    return Device(
        address=address(slot),
        kind=kind,
        name=re.sub(r" \((?:rev|prog-if) .*", "", name),
        bridge="bridge" in kind.lower() and "host" not in kind.lower(),
        acs=_acs(bits, block, complete),
        acs_bits=bits,
        capable=capable,
        link=link,
        slower=_slower(capable, link),
        payload=number(sizes[1]) if sizes else None,
        read_request=number(sizes[2]) if sizes else None,
        numa=number(shown.get("NUMA node")),
        driver=shown.get("Kernel driver in use"),
    )


def _shown(block: List[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for line in block:
        name, sign, value = line.strip().partition(":")
        if sign:
            found.setdefault(name, value.strip())
    return found


def _acs(bits: Optional[Tuple[str, ...]], block: List[str], complete: bool) -> str:
    if bits is not None:
        return "redirect" if set(bits) & set(REDIRECTS) else "source" if bits else "off"
    listed = [line.strip() for line in block if line.strip().startswith("Capabilities:")]
    detailed = any(line.strip().startswith("Status:") for line in block)
    promised = any(line.strip().startswith("Status: Cap+") for line in block)
    hidden = any("<access denied>" in line or "Access Control Services" in line for line in listed)
    # ACS stands above 100 (hexadecimal) in the extended space, which some environments do not let anyone read.
    express = any("Express" in line for line in listed)
    extended = any(re.match(r"Capabilities: \[[0-9a-f]{3}", line) for line in listed)
    seen = (bool(listed) or not promised) and (extended or not express)
    return "absent" if complete and detailed and seen and not hidden else "unknown"


def _link(text: Optional[str]) -> Link:
    found = LINK.search(text or "")
    return Link(decimal(found[1]), number(found[2])) if found else Link()


def _slower(capable: Link, link: Link) -> Optional[bool]:
    # A width of 0 is a slot with nothing in it, which is not slow.
    if None in (capable.speed_gts, capable.width, link.speed_gts, link.width) or link.width == 0:
        return None
    return (link.speed_gts or 0) < (capable.speed_gts or 0) or (link.width or 0) < (capable.width or 0)

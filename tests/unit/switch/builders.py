"""The switches of tests/cases/switch/hosts.yml as values, the golden files, and the recorded text of others.

It deliberately reads no inventory: that the two agree is a test of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raceway.model.qos import Qos
from raceway.switch import headroom, limits
from raceway.switch.model import Port, Switch

from ..builders import CASES

FOLDER = CASES / "switch"
GOLDEN = {"sonic": "sonic.json", "cumulus": "cumulus.txt", "eos": "eos.cfg", "nxos": "nxos.cfg"}
_PORTS = {
    "sonic": ("Ethernet0", "Ethernet8", "Ethernet16", "Ethernet256"),
    "cumulus": ("swp1", "swp2", "swp3s0", "swp64"),
    "eos": ("Ethernet1/1", "Ethernet2/1", "Ethernet3/1", "Ethernet64/1"),
    "nxos": ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3", "Ethernet1/64"),
}
_HOSTS = {"sonic": 0, "cumulus": 10, "eos": 20, "nxos": 30}


def make_switch(platform: str, **changes: Any) -> Switch:
    """Return the leaf of a platform; ``changes`` are fields of Switch."""
    hosts = tuple(f"gpu{_HOSTS[platform] + number:02d}" for number in (1, 2, 3))
    rows = ((400_000, 5, hosts[0]), (400_000, 5, hosts[1]), (100_000, 40, hosts[2]), (800_000, 40, ""))
    mtu = changes.get("mtu", 9214 if platform == "eos" else 9216)
    switch = Switch(
        name=f"leaf-{platform}",
        platform=platform,
        qos=Qos(cable_m=5),
        ports=tuple(Port(name, *row) for name, row in zip(_PORTS[platform], rows, strict=True)),
        wred=limits.STOCK_WRED,
        headroom=headroom.table(platform, mtu),
        mtu=mtu,
        hosts=hosts,
    )
    return replace(switch, **changes)


def golden(platform: str) -> str:
    """Return the committed file of a platform."""
    return (FOLDER / "golden" / GOLDEN[platform]).read_text(encoding="utf-8")


def recorded(name: str) -> str:
    """Return a running configuration that raceway has not made."""
    return (FOLDER / "running" / name).read_text(encoding="utf-8")

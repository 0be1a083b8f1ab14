"""A machine as it comes out of the box, with the cards an inventory declares in the slots it declares them in.

The ground is a recorded machine (tests/machines); cards, their ports and their settings are put on it as mlx5 shows
them when nobody has touched them. It deliberately reads nothing back: a plan is made on it and that is all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raceway.host.machine import Result

from ..builders import commands, make_machine
from ..fake_dcb import FakeDcb

HARDWARE = {"InfiniBand": "32", "Ethernet": "1"}  # ARPHRD_INFINIBAND, ARPHRD_ETHER
# Answers of programs that say how a machine is before anybody has set it.
TOLD = {
    "rdma -j system show": '[{"netns":"exclusive","copy-on-fork":true}]',
    "ip -j route show default": '[{"dst":"default","gateway":"10.20.0.1","dev":"eno1","flags":[]}]',
    "ip -j -6 route show default": "[]",
    "ip -j address show": '[{"ifname":"eno1","addr_info":[{"family":"inet","local":"10.20.1.11","prefixlen":16}]}]',
    "ss -tnH state established": "0 0 10.20.1.11:22 10.20.0.9:50022\n",
}
LSPCI = """{pci} Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]
\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx+
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq+
\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-
\t\t\tMaxPayload 512 bytes, MaxReadReq 512 bytes
\t\tLnkSta:\tSpeed 32GT/s, Width x16
\tKernel driver in use: mlx5_core
"""
MSTCONFIG = """
Device #1:
----------

Device type:        ConnectX7
Name:               MCX75310AAS-NEA_Ax
Device:             {pci}

Configurations:                                     Default             Current             Next Boot
        LINK_TYPE_P1                                IB(1)               {link:<20}{link}
        PCI_WR_ORDERING                             per_mkey(0)         per_mkey(0)         per_mkey(0)
"""
# Keys the recorded machines leave out, with the kernel's defaults.
SYSCTL = {
    "kernel/numa_balancing": "1",
    "net/core/netdev_max_backlog": "1000",
    "net/ipv4/neigh/default/gc_thresh1": "128",
    "net/ipv4/neigh/default/gc_thresh2": "512",
    "net/ipv4/neigh/default/gc_thresh3": "1024",
    "net/ipv4/tcp_max_syn_backlog": "4096",
    "net/ipv4/tcp_mtu_probing": "0",
    "net/ipv4/tcp_wmem": "4096\t16384\t4194304",
}
MODULES = ("ib_umad", "ib_uverbs", "rdma_ucm", "ib_ipoib")
PACKAGES = ("iproute2", "kmod", "procps", "pciutils")
CONSENT = ["safe", "disruptive", "destructive"]


class FreshMachine(FakeDcb):
    """Built from a host's compiled roles; only declared cards are in it."""

    def __init__(self, folder: Path, shape: str, roles: Mapping[str, Any]) -> None:
        super().__init__(make_machine(shape, folder))
        self._told = {**commands(shape), **TOLD}
        self._limits = self._told.pop("systemctl")
        self._ground(roles["node"]["nouns"]["machine"])
        roce = roles.get("roce", {}).get("nouns", {}).get("roce", {}).get("ports", [])
        ethernet = {row["pci"] for row in roce}
        for number, row in enumerate(roles.get("rdma", {}).get("nouns", {}).get("rdma", {}).get("devices", [])):
            self._card(number, row["pci"], "Ethernet" if row["pci"] in ethernet else "InfiniBand")

    def _ground(self, machine: Mapping[str, Any]) -> None:
        """Put the declared size and what recorded machines leave out on the ground."""
        root = self.folder
        if machine["cpus"]:
            (root / "sys/devices/system/cpu/online").write_text(f"0-{machine['cpus'] - 1}\n")
        if machine["memory_gib"]:
            (root / "proc/meminfo").write_text(f"MemTotal: {machine['memory_gib'] * 2**20 - 2**22} kB\n")
        for name, text in SYSCTL.items():
            place = root / "proc/sys" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{text}\n")
        policy = root / "sys/devices/system/cpu/cpufreq/policy0"
        if not policy.exists():
            policy.mkdir(parents=True)
            (policy / "scaling_available_governors").write_text("performance powersave\n")
            (policy / "scaling_governor").write_text("powersave\n")
        (book,) = root.glob("lib/modules/*/modules.dep")
        more = "".join(f"kernel/drivers/infiniband/{name}.ko:\n" for name in MODULES)
        book.write_text(book.read_text() + more)
        (root / "var/lib/dpkg").mkdir(parents=True)
        rows = (f"Package: {name}\nStatus: install ok installed\nVersion: 1\n" for name in PACKAGES)
        (root / "var/lib/dpkg/status").write_text("\n".join(rows))

    def which(self, program: str) -> str | None:
        """Return a path for every program that has an answer here."""
        known = {line.split()[0] for line in self._told} | {"dcb", "ethtool", "ip", "systemctl"}
        return f"/usr/sbin/{program}" if program in known else None

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer as recorded; what is not is asked of the ports, or not installed."""
        if argv[0] == "systemctl":
            return self._systemctl(list(argv[1:]))
        answer = self._told.get(" ".join(argv), self._told.get(argv[0]))
        if answer is not None:
            return Result(0, answer, "")
        if argv[0] in ("dcb", "ethtool") or list(argv[1:3]) == ["-d", "-j"]:
            return super().run(argv)
        return Result(127, "", f"{argv[0]}: not found")

    def _systemctl(self, words: list[str]) -> Result:
        """Know no unit, as before its package is installed."""
        if words[0] in ("is-active", "is-enabled"):
            return Result(3, "inactive\n" if words[0] == "is-active" else "", "")
        if "--" not in words:
            return Result(0, self._limits, "")
        if "MainPID" in words:
            return Result(0, "0\n", "")
        rows = (f"Id={name}\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n" for name in words[4:])
        return Result(0, "\n".join(rows), "")

    def _card(self, number: int, pci: str, layer: str) -> None:
        """Put a card with one port into a slot."""
        self._told["lspci"] = self._told.get("lspci", "") + LSPCI.format(pci=pci) + "\n"
        bus = self.folder / "sys/bus/pci/devices" / pci
        if bus.exists():  # the recorded machine has something else in this slot
            bus.rename(bus.with_name(f"0000:f{number}:00.0"))
        bus.mkdir(parents=True)
        (bus / "vendor").write_text("0x15b3\n")
        (bus / "class").write_text("0x020700\n" if layer == "InfiniBand" else "0x020000\n")
        link = "IB(1)" if layer == "InfiniBand" else "ETH(2)"
        self._told[f"mstconfig -d {pci} -e q"] = MSTCONFIG.format(pci=pci, link=link)
        device, netdev = f"mlx5_{number}", f"ib{number}" if layer == "InfiniBand" else f"ens{number + 1}np0"
        mac = f"b8:ce:f6:00:00:{number:02x}"
        self.add(netdev, pci, mac, mtu=2044 if layer == "InfiniBand" else 1500)
        slot = self.folder / "sys/devices" / pci
        (self.folder / "sys/class/net" / netdev / "type").write_text(f"{HARDWARE[layer]}\n")
        if layer == "InfiniBand":
            (self.folder / "sys/class/net" / netdev / "mode").write_text("datagram\n")
        for name in (f"net/{netdev}", f"infiniband/{device}"):
            (slot / name).mkdir(parents=True)
        for name, text in {"vendor": "0x15b3", "numa_node": str(number // 4), "uevent": f"PCI_SLOT_NAME={pci}"}.items():
            (slot / name).write_text(f"{text}\n")
        place = self.folder / "sys/class/infiniband" / device
        base = place / "ports/1"
        for folder in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
            (base / folder).mkdir(parents=True, exist_ok=True)
        (place / "device").symlink_to(f"../../../devices/{pci}")
        (place / "node_guid").write_text(f"b8ce:f603:0000:{number:04x}\n")
        texts = {"link_layer": layer, "state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)"}
        for name, text in {**texts, "lid": str(number + 1), "sm_lid": "1"}.items():
            (base / name).write_text(f"{text}\n")
        gid = "fe80:0000:0000:0000:b8ce:f603:0000:" if layer == "InfiniBand" else "0000:0000:0000:0000:0000:ffff:0a28:"
        (base / "gids/0").write_text(f"{gid}{number + 1:04x}\n")
        (base / "gid_attrs/types/0").write_text("RoCE v2\n" if layer == "Ethernet" else "IB/RoCE v1\n")
        (base / "gid_attrs/ndevs/0").write_text(f"{netdev}\n")

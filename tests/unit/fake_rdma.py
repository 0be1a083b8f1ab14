"""A machine with RDMA cards below a folder, whose tools answer as rdma, lspci, setpci, mlxconfig, ip and systemctl do.

Written from the tools' manuals and recorded outputs, not from raceway's code. ``broken`` names tools that claim success
and change nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from raceway.host import Host
from raceway.host.machine import Result

OK = Result(0, "", "")
REDIRECTS = {"ReqRedir": 0x04, "CmpltRedir": 0x08, "UpstreamFwd": 0x10}
ENUMS = {"LINK_TYPE": {1: "IB", 2: "ETH"}}


class FakeRdma(Host):
    """``firmware``: PCI address → setting → [current, next]; ``bridges``: address → ACS bits that are on."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.tree = root
        self.calls: list[str] = []
        self.broken: set[str] = set()
        self.netns = "shared"
        self.firmware: dict[str, dict[str, list[int]]] = {}
        self.read_request: dict[str, int] = {}
        self.bridges: dict[str, set[str]] = {}
        self.units: dict[str, dict[str, Any]] = {}
        self.sessions = ""
        self.routes: list[dict[str, Any]] = []
        self.addresses: list[dict[str, Any]] = []
        self.tools: dict[str, Callable[[list[str]], Result]] = {
            "rdma": self._rdma,
            "lspci": self._lspci,
            "setpci": self._setpci,
            "mlxconfig": self._mlxconfig,
            "mlxfwreset": self._mlxfwreset,
            "systemctl": self._systemctl,
            "prlimit": self._prlimit,
            "ip": self._ip,
            "ss": lambda _: Result(0, self.sessions, ""),
            "modprobe": self._modprobe,
            "rmmod": self._rmmod,
        }
        self.put("/sys/module/ib_core/initstate", "live")

    def put(self, path: str, text: str) -> None:
        """Write a file of the machine, its folders too."""
        place = self.tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}\n")

    def link(self, path: str, target: str) -> None:
        """Make a link of the machine, its folders too."""
        place = self.tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def add_card(self, name: str, pci: str, guid: str, netdev: str, layer: str = "Ethernet", above: str = "") -> None:
        """Plug a card in: its RDMA device, its interface, its place below the bridges ``above``."""
        path = f"devices/pci0000:00/{above}{'/' if above else ''}{pci}"
        self.link(f"/sys/bus/pci/devices/{pci}", f"../../../{path}")
        self.put(f"/sys/{path}/vendor", "0x15b3")
        self.put(f"/sys/{path}/class", "0x020000")
        self.put(f"/sys/{path}/net/{netdev}/type", "32" if layer == "InfiniBand" else "1")
        folder = f"/sys/class/infiniband/{name}"
        self.put(f"{folder}/node_guid", guid)
        self.link(f"{folder}/device", f"../../../{path}")
        for leaf, text in {
            "link_layer": layer,
            "state": "4: ACTIVE",
            "phys_state": "5: LinkUp",
            "sm_lid": "0x1",
        }.items():
            self.put(f"{folder}/ports/1/{leaf}", text)
        self.read_request[pci] = 512
        self.put(f"/sys/class/net/{netdev}/type", "32" if layer == "InfiniBand" else "1")
        self.link(f"/sys/class/net/{netdev}/device", f"../../../{path}")

    def add_gpu(self, pci: str, above: str) -> None:
        """Plug an NVIDIA GPU in."""
        path = f"devices/pci0000:00/{above}/{pci}"
        self.link(f"/sys/bus/pci/devices/{pci}", f"../../../{path}")
        self.put(f"/sys/{path}/vendor", "0x10de")
        self.put(f"/sys/{path}/class", "0x030200")

    def add_unit(self, name: str, pid: int, soft: str) -> None:
        """Start a service whose process may lock so much."""
        self.put(f"/usr/lib/systemd/system/{name}", "[Service]")
        self.put(f"/proc/{pid}/limits", f"Max locked memory         {soft:<20} {soft:<20} bytes     ")
        self.units[name] = {"pid": pid, "active": True}

    def which(self, program: str) -> str | None:
        """Return a path for every tool there is."""
        return f"/usr/sbin/{program}" if program in self.tools else None

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Run a tool of this machine."""
        self.calls.append(" ".join(argv))
        tool = self.tools.get(argv[0])
        if tool is None:
            return Result(127, "", f"{argv[0]}: not found")
        reads = {"show", "q", "is-active", "is-enabled", "-D"} & set(argv)
        return OK if argv[0] in self.broken and not reads else tool(list(argv[1:]))

    def poke(self, path: str, text: str) -> None:
        """Write into sysfs; a new IPoIB mode brings its MTU, and a partition its child."""
        folder, _, leaf = path.rpartition("/")
        if leaf == "create_child":
            child = f"{folder}.{int(text, 16):04x}"
            known = {"type": "32", "parent": folder.rpartition("/")[2], "pkey": text.strip(), "mode": "datagram"}
            for name, value in {**known, "mtu": "2044"}.items():
                self.put(f"{child}/{name}", value)
            return
        if leaf == "delete_child":
            for file in (self.tree / f"{folder}.{int(text, 16):04x}".lstrip("/")).iterdir():
                file.unlink()
            (self.tree / f"{folder}.{int(text, 16):04x}".lstrip("/")).rmdir()
            return
        super().poke(path, text)
        if leaf == "mode":
            super().poke(f"{folder}/mtu", "65520\n" if "connected" in text else "2044\n")

    def _rdma(self, words: list[str]) -> Result:
        if words[0] == "-j":
            return Result(0, json.dumps([{"netns": self.netns, "copy-on-fork": True}]), "")
        if words[:2] == ["dev", "set"]:
            folder = self.tree / "sys/class/infiniband"
            (folder / words[2]).rename(folder / words[4])
            return OK
        self.netns = words[3]
        return OK

    def _lspci(self, _words: list[str]) -> Result:
        rows = []
        for bridge, on in self.bridges.items():
            names = ["SrcValid", "TransBlk", *REDIRECTS, "EgressCtrl", "DirectTrans"]
            bits = " ".join(f"{name}{'+' if name in on else '-'}" for name in names)
            rows.append(
                f"{bridge} PCI bridge: Example Bridge (prog-if 00 [Normal decode])\n"
                "\tStatus: Cap+ 66MHz-\n\tCapabilities: [58] Express (v2) Root Port\n"
                f"\tCapabilities: [2a0 v1] Access Control Services\n\t\tACSCtl:\t{bits}\n"
            )
        for pci, size in self.read_request.items():
            rows.append(
                f"{pci} Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
                "\tStatus: Cap+ 66MHz-\n\tCapabilities: [60] Express (v2) Endpoint\n"
                f"\t\t\tMaxPayload 256 bytes, MaxReadReq {size} bytes\n\tCapabilities: [100 v1] Advanced Error\n"
            )
        return Result(0, "\n".join(rows), "")

    def _setpci(self, words: list[str]) -> Result:
        address, (register, value, mask) = words[1], re.split(r"[=:]", words[2])
        number = int(value, 16)
        if register == "CAP_EXP+08.w" and int(mask, 16) == 0x7000:
            self.read_request[address] = 128 << (number >> 12)
        elif register == "ECAP_ACS+06.w" and int(mask, 16) == 0x1C:
            kept = self.bridges[address] - set(REDIRECTS)
            self.bridges[address] = kept | {name for name, bit in REDIRECTS.items() if number & bit}
        else:
            return Result(1, "", f"setpci: unknown register {words[2]}")
        return OK

    def _mlxconfig(self, words: list[str]) -> Result:
        pci, table = words[1], self.firmware[words[1]]
        if "set" in words:
            for word in words[words.index("set") + 1 :]:
                name, value = word.split("=")
                table[name][1] = int(value)
            return OK
        head = f"\nDevice #1:\n----------\n\nDevice type:    ConnectX7\nDevice:         {pci}\n\n"
        head += f"{'Configurations:':<52}{'Default':<20}{'Current':<20}Next Boot\n"
        rows = [
            f"        {name:<44}{_shown(name, now):<20}{_shown(name, now):<20}{_shown(name, then)}"
            for name, (now, then) in table.items()
        ]
        return Result(0, head + "\n".join(rows) + "\n", "")

    def _mlxfwreset(self, words: list[str]) -> Result:
        for pair in self.firmware[words[1]].values():
            pair[0] = pair[1]
        return OK

    def _systemctl(self, words: list[str]) -> Result:
        unit = self.units.get(words[-1])
        if "ActiveState" in words:
            active, enabled = (bool(unit and unit.get(what)) for what in ("active", "enabled"))
            state = "active" if active else "inactive"
            return Result(0, f"UnitFileState={'enabled' if enabled else ''}\nActiveState={state}\n", "")
        if words[0] == "show":
            return Result(0, f"{unit['pid'] if unit else 0}\n", "")
        if words[0] == "is-active":
            active = bool(unit and unit["active"])
            return Result(0 if active else 3, "active\n" if active else "inactive\n", "")
        if words[0] in ("enable", "disable", "start", "restart", "stop"):
            state = self.units.setdefault(words[-1], {"pid": 0, "active": False})
            key, value = ("enabled", words[0] == "enable") if "able" in words[0] else ("active", words[0] != "stop")
            state[key] = value
        return OK

    def _prlimit(self, words: list[str]) -> Result:
        pid, soft = words[0].split("=")[1], words[1].split("=")[1].split(":")[0]
        self.put(f"/proc/{pid}/limits", f"Max locked memory         {soft:<20} {soft:<20} bytes     ")
        return OK

    def _ip(self, words: list[str]) -> Result:
        if words[:3] == ["link", "set", "dev"]:
            self.put(f"/sys/class/net/{words[3]}/mtu", words[5])
            return OK
        if "address" in words:
            return Result(0, json.dumps(self.addresses), "")
        return Result(0, "[]" if "-6" in words else json.dumps(self.routes), "")

    def _modprobe(self, words: list[str]) -> Result:
        self.put(f"/sys/module/{words[0]}/initstate", "live")
        return OK

    def _rmmod(self, words: list[str]) -> Result:
        (self.tree / f"sys/module/{words[0]}/initstate").unlink()
        (self.tree / f"sys/module/{words[0]}").rmdir()
        return OK


def _shown(name: str, number: int) -> str:
    enum = next((words for prefix, words in ENUMS.items() if name.startswith(prefix)), {})
    return f"{enum[number]}({number})" if number in enum else str(number)

"""A machine with ports that dcb, ethtool and ip can set: sysfs below a folder, settings in memory.

It answers as the real tools do, refusals included; ``ignored`` names settings a driver accepts and does not take.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raceway.host import Host
from raceway.host.machine import Result

from .fake_mlnx_qos import FakeMlnxQos

UNSUPPORTED = "Operation not supported"


def fresh() -> dict[str, Any]:
    """Settings of a port nobody has touched, as mlx5 has them."""
    return {
        "pfc": [False] * 8,
        "prio_tc": [1, 0, 2, 3, 4, 5, 6, 7],
        "tsa": ["vendor"] * 8,
        "bw": [0] * 8,
        "app": [],
        "prio_buffer": [0] * 8,
        "sizes": [262016, *[0] * 7],
        "pause": [True, True],
        "cap": 8,
        "dcbx": ["host", "ieee"],
        "dcb": True,
    }


class FakeDcb(Host):
    """Ports by interface name; ``calls`` are the programs run so far."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.folder = root
        self.ports: dict[str, dict[str, Any]] = {}
        self.ignored: set[str] = set()
        self.calls: list[str] = []
        self.lldpad = False
        self.lldp = ""
        self.mlnx: dict[str, FakeMlnxQos] = {}
        self.tos: dict[str, int] = {}
        self.counters: dict[str, dict[str, int]] = {}

    def add(self, name: str, pci: str, mac: str, mtu: int = 1500, **changed: Any) -> None:
        """Plug a port in."""
        net = self.folder / "sys/class/net" / name
        device = self.folder / "sys/devices" / pci
        device.mkdir(parents=True)
        net.mkdir(parents=True)
        (net / "device").symlink_to(device)
        (device / "driver").symlink_to("/sys/bus/pci/drivers/mlx5_core")
        for leaf, text in {"type": "1", "address": mac, "flags": "0x1003", "mtu": str(mtu), "speed": "400000"}.items():
            (net / leaf).write_text(f"{text}\n")
        (net / "uevent").write_text(f"INTERFACE={name}\n")
        self.ports[name] = {**fresh(), **changed}

    def add_switches(self, name: str) -> None:
        """Give a port the files of a DOCA or OFED driver, as the firmware sets them."""
        ecn = self.folder / "sys/class/net" / name / "ecn"
        for part in ("roce_np", "roce_rp"):
            (ecn / part / "enable").mkdir(parents=True)
            for priority in range(8):
                (ecn / part / "enable" / str(priority)).write_text("0\n")
        (ecn / "roce_np/cnp_dscp").write_text("4\n")
        (ecn / "roce_np/cnp_802p_prio").write_text("6\n")

    def add_rdma(self, name: str, device: str) -> None:
        """Put an RDMA device on a port; the connection manager shows it below a folder one makes."""
        ndevs = self.folder / "sys/class/infiniband" / device / "ports/1/gid_attrs/ndevs"
        ndevs.mkdir(parents=True)
        (ndevs / "0").write_text(f"{name}\n")
        (self.folder / "sys/kernel/config/rdma_cm").mkdir(parents=True, exist_ok=True)
        self.tos[device] = 0

    def mkdir(self, path: str, mode: int = 0o755) -> None:
        """Make a folder; in configfs it fills itself."""
        super().mkdir(path, mode)
        device = path.rpartition("/")[2]
        if device in self.tos:
            ports = self.folder / path.lstrip("/") / "ports/1"
            ports.mkdir(parents=True)
            (ports / "default_roce_tos").write_text(f"{self.tos[device]}\n")

    def rmdir(self, path: str) -> None:
        """Remove a folder; one of configfs goes with what is in it, and the device keeps its values."""
        device = path.rpartition("/")[2]
        if device in self.tos:
            folder = self.folder / path.lstrip("/")
            self.tos[device] = int((folder / "ports/1/default_roce_tos").read_text())
            shutil.rmtree(folder)
        super().rmdir(path)

    def run(self, argv: Sequence[str], **_: Any) -> Result:
        """Answer one call."""
        self.calls.append(" ".join(argv))
        words = list(argv)
        if words[0] == "systemctl":
            return Result(0 if self.lldpad else 3, "active\n" if self.lldpad else "inactive\n", "")
        if words[0] == "dcb":
            return self._dcb([word for word in words[1:] if word not in ("-j", "-s")])
        if words[0] == "mlnx_qos":
            tool = self.mlnx.get(words[words.index("-i") + 1])
            return tool.run(words, self.ignored) if tool else Result(127, "", "mlnx_qos: not found")
        if words[0] == "lldpctl":
            return Result(0, self.lldp, "")
        if words[0] == "ethtool":
            return self._ethtool(words[1:])
        if words[1:3] == ["-d", "-j"]:
            return Result(0, json.dumps([{"ifname": words[-1], "max_mtu": 9978}]), "")
        if words[:3] == ["ip", "link", "set"]:
            if "mtu" not in self.ignored:
                (self.folder / "sys/class/net" / words[4] / "mtu").write_text(f"{words[6]}\n")
            return Result(0, "", "")
        raise AssertionError(f"unexpected call: {argv}")

    def _ethtool(self, words: list[str]) -> Result:
        if words[0] == "-S":
            rows = [f"     {name}: {count}\n" for name, count in self.counters.get(words[1], {}).items()]
            return Result(0, f"NIC statistics:\n{''.join(rows)}", "")
        port = self.ports[words[1]]
        if words[0] == "-a":
            rx, tx = ("on" if bit else "off" for bit in port["pause"])
            return Result(0, f"Pause parameters for {words[1]}:\nAutonegotiate:\toff\nRX:\t\t{rx}\nTX:\t\t{tx}\n\n", "")
        if "pause" not in self.ignored:
            port["pause"] = [words[3] == "on", words[5] == "on"]
        return Result(0, "", "")

    def _dcb(self, words: list[str]) -> Result:
        what, verb, device = words[0], words[1], words[3]
        port = self.ports[device]
        if not port["dcb"]:
            return Result(1, "", f"Failed to get {what.upper()}: {UNSUPPORTED}\n")
        if verb == "show":
            return Result(0, json.dumps(self._shown(what, port)) + "\n", "")
        if what not in self.ignored:
            self._set(what, verb, port, words[4:])
        return Result(0, "", "")

    def _shown(self, what: str, port: dict[str, Any]) -> dict[str, Any]:
        if what == "pfc":
            head = {"pfc_cap": port["cap"], "macsec_bypass": False, "delay": 0}
            return {**head, "prio_pfc": port["pfc"]}
        if what == "ets":
            head = {"willing": False, "ets_cap": port["cap"], "cbs": False}
            rows = {"tc_bw": port["bw"], "pg_bw": [0] * 8, "tc_tsa": port["tsa"], "prio_tc": port["prio_tc"]}
            reco = {"reco_tc_bw": [0] * 8, "reco_tc_tsa": ["strict"] * 8, "reco_prio_tc": [0] * 8}
            return {**head, **rows, **reco}
        if what == "app":
            return {"dscp_prio": [[*pair, " "] for pair in sorted(port["app"])]} if port["app"] else {}
        if what == "buffer":
            return {"prio_buffer": port["prio_buffer"], "buffer_size": port["sizes"], "total_size": 262016}
        return dict.fromkeys(port["dcbx"], True)

    def _set(self, what: str, verb: str, port: dict[str, Any], words: list[str]) -> None:
        pairs = [word.split(":") for word in words if ":" in word]
        if what == "app":
            given = [(int(code), int(priority)) for code, priority in pairs]
            codes = {code for code, _ in given}
            if verb == "replace":
                port["app"] = [pair for pair in port["app"] if pair[0] not in codes] + given
            elif verb == "add":
                port["app"] += given
            else:
                port["app"] = [pair for pair in port["app"] if pair not in given]
        elif what == "pfc":
            for key, value in pairs:
                numbers = range(8) if key == "all" else [int(key)]
                for number in numbers:
                    port["pfc"][number] = value == "on"
        else:
            rows = {"tc-tsa": "tsa", "tc-bw": "bw", "prio-tc": "prio_tc"}
            rows.update({"prio-buffer": "prio_buffer", "buffer-size": "sizes"})
            row: list[Any] = []
            for word in words:
                if word in rows:
                    row = port[rows[word]]
                    continue
                number, value = word.split(":")
                row[int(number)] = int(value) if value.isdigit() else value

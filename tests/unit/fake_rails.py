"""A machine whose interfaces, routes and rules answer as ``ip`` and systemd-networkd do: sysfs below a folder, the rest
in memory.

Written from ip-address(8), ip-route(8), ip-rule(8) and systemd.network(5), not from raceway's code. ``deaf``: networkd
reads its files and does nothing; ``ignored``: words of ``ip`` calls that succeed without an effect; ``failing``: of
calls that fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raceway.host import Host, Result

OK = Result(0, "", "")
SETTINGS = ("arp_ignore", "arp_announce", "arp_filter", "rp_filter", "ignore_routes_with_linkdown")
KERNEL_RULES = [{"priority": 0, "src": "all", "table": "255"}, {"priority": 32766, "src": "all", "table": "254"}]


class FakeRails(Host):
    """Ports by interface name; ``calls`` are the programs run so far."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.folder = root
        self.links: dict[str, dict[str, Any]] = {}
        self.rules: list[dict[str, Any]] = []
        self.routes: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.ignored: set[str] = set()
        self.failing: set[str] = set()
        self.networkd, self.deaf, self.ssh = True, False, ""
        self.files: dict[str, str] = {}
        self._settings("all", 0)
        (root / "proc/sys/net/ipv6").mkdir(parents=True)
        (root / "sys/class/net").mkdir(parents=True)
        self.add("mgmt0", "0000:00:03.0", "52:54:00:00:00:03", "10.0.2.15/24")
        self.routes.append({"dst": "default", "gateway": "10.0.2.2", "dev": "mgmt0", "flags": []})

    def add(self, name: str, pci: str, mac: str, *addresses: str, functions: int = 0, up: bool = True) -> None:
        """Plug a port in."""
        device = self.folder / "sys/devices" / pci
        device.mkdir(parents=True)
        (device / "sriov_numvfs").write_text(f"{functions}\n")
        self._link(name, mac, up, "", addresses)
        (self.folder / "sys/class/net" / name / "device").symlink_to(device)

    def _link(self, name: str, mac: str, up: bool, kind: str, addresses: Sequence[str] = ()) -> None:
        net = self.folder / "sys/class/net" / name
        net.mkdir()
        (net / "type").write_text("1\n")
        (net / "address").write_text(f"{mac}\n")
        (net / "uevent").write_text(f"DEVTYPE={kind}\n" if kind else f"INTERFACE={name}\n")
        self._settings(name, 1)
        row = {"index": len(self.links) + 2, "up": up, "addresses": list(addresses), "master": "", "kind": kind}
        self.links[name] = {**row, "mac": mac, "bond": {}, "mtu": 1500}

    def _settings(self, name: str, reverse: int) -> None:
        folder = self.folder / "proc/sys/net/ipv4/conf" / name
        folder.mkdir(parents=True, exist_ok=True)
        for key in SETTINGS:
            (folder / key).write_text(f"{reverse if key == 'rp_filter' else 0}\n")

    def state(self) -> dict[str, Any]:
        """Everything the kernel holds, and the files of rails."""
        conf = self.folder / "proc/sys/net/ipv4/conf"
        settings = {str(path.relative_to(conf)): path.read_text().strip() for path in sorted(conf.glob("*/*"))}
        files = sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("etc/*/*raceway*"))
        files += sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("etc/systemd/*/*raceway*"))
        links = {name: (row["up"], sorted(row["addresses"]), row["master"]) for name, row in self.links.items()}
        return {"links": links, "rules": self.rules, "routes": self.routes, "settings": settings, "files": files}

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer as the named tool does."""
        self.calls.append(" ".join(argv))
        words = [word for word in argv if word not in ("-N", "-j", "-d")]
        if argv[0] == "systemctl":
            return Result(0 if self.networkd else 3, "active\n" if self.networkd else "inactive\n", "")
        if argv[0] == "networkctl":
            self._reload()
            return OK
        if argv[0] == "ss":
            return Result(0, self.ssh, "")
        if argv[0] != "ip":
            return Result(127, "", f"{argv[0]}: not found")
        if any(word in self.ignored for word in argv):
            return OK
        if any(word in self.failing for word in argv):
            return Result(2, "", "RTNETLINK answers: Operation not permitted")
        return self._ip(words[1:])

    def _ip(self, words: list[str]) -> Result:
        family = 6 if words[0] == "-6" else 4
        words = words[1:] if words[0] in ("-4", "-6") else words
        what, verb = words[0], words[1]
        if verb == "show":
            return Result(0, json.dumps(self._show(what, words, family)), "")
        handlers = {"addr": self._addr, "link": self._ip_link, "route": self._route, "rule": self._rule}
        return handlers[what](verb, words[2:])

    def _show(self, what: str, words: list[str], family: int) -> list[dict[str, Any]]:
        if what in ("addr", "address"):
            return [self._shown(name) for name in self.links]
        if what == "rule":
            return [
                *KERNEL_RULES,
                *(r for r in self.rules if (":" in r["src"]) == (family == 6)),
            ]
        rows = [
            r for r in self.routes if (":" in json.dumps(r.get("dst", ""))) == (family == 6) or r["dst"] == "default"
        ]
        return [r for r in rows if r["dst"] == "default" and "table" not in r] if "default" in words else rows

    def _shown(self, name: str) -> dict[str, Any]:
        row = self.links[name]
        info = [
            {
                "family": "inet6" if ":" in one else "inet",
                "local": one.split("/")[0],
                "prefixlen": int(one.split("/")[1]),
            }
            for one in row["addresses"]
        ]
        shown = {"ifindex": row["index"], "ifname": name, "flags": ["UP", "LOWER_UP"] if row["up"] else []}
        shown.update(mtu=row["mtu"], address=row["mac"], addr_info=[{**one, "scope": "global"} for one in info])
        if row["master"]:
            shown["master"] = row["master"]
        if row["kind"]:
            shown["linkinfo"] = {"info_kind": row["kind"], "info_data": row["bond"]}
        return shown

    def _addr(self, verb: str, words: list[str]) -> Result:
        there = self.links[words[2]]["addresses"]
        if verb == "del":
            if words[0] not in there:
                return Result(2, "", "RTNETLINK answers: Cannot assign requested address")
            there.remove(words[0])
        elif words[0] not in there:
            there.append(words[0])
        return OK

    def _ip_link(self, verb: str, words: list[str]) -> Result:
        words = [word for word in words if word != "dev"]
        name, rest = words[0], words[1:]
        if verb == "add":
            self.make_bond(name, dict(zip(rest[2::2], rest[3::2], strict=True)))
        elif verb == "del":
            self._unmake(name)
        elif rest[0] in ("up", "down"):
            self.links[name]["up"] = rest[0] == "up"
        elif rest[0] == "master":
            if self.links[name]["up"]:
                return Result(2, "", "RTNETLINK answers: Operation not permitted")
            self._join(name, rest[1])
        elif rest[0] == "nomaster":
            self.links[name]["master"] = ""
        elif rest[0] == "mtu":
            self.links[name]["mtu"] = int(rest[1])
        elif rest[0] == "type":
            self._set_bond(name, dict(zip(rest[2::2], rest[3::2], strict=True)))
        return OK

    def make_bond(self, name: str, settings: dict[str, str]) -> None:
        """Make a bond with these settings, down and without members."""
        self._link(name, "02:00:00:00:00:01", False, "bond")
        self._set_bond(name, {"xmit_hash_policy": "layer2", "lacp_rate": "slow", **settings})

    def _set_bond(self, name: str, settings: dict[str, str]) -> None:
        self.links[name]["bond"].update({"ad_lacp_rate" if k == "lacp_rate" else k: v for k, v in settings.items()})

    def _join(self, name: str, master: str) -> None:
        self.links[name].update(master=master, up=True)
        own = self.folder / "sys/class/net" / name / "bonding_slave"
        own.mkdir(exist_ok=True)
        (own / "perm_hwaddr").write_text(self.links[name]["mac"] + "\n")

    def _unmake(self, name: str) -> None:
        for leaf in (self.folder / "sys/class/net" / name).iterdir():
            leaf.unlink()
        (self.folder / "sys/class/net" / name).rmdir()
        for key in SETTINGS:
            (self.folder / "proc/sys/net/ipv4/conf" / name / key).unlink()
        del self.links[name]
        self.routes = [row for row in self.routes if row["dev"] != name]
        for row in self.links.values():
            row["master"] = "" if row["master"] == name else row["master"]

    def _route(self, verb: str, words: list[str]) -> Result:
        fields = dict(zip(words[1::2], words[2::2], strict=True))
        row = {
            "dst": words[0],
            "dev": fields["dev"],
            "table": fields["table"],
            "metric": int(fields["metric"]),
            "flags": [],
        }
        row.update({"gateway": fields["via"]} if "via" in fields else {"scope": "253"})
        row.update({"prefsrc": fields["src"]} if "src" in fields else {})
        self.put_route(row, verb)
        return OK

    def put_route(self, row: dict[str, Any], verb: str = "replace") -> None:
        """Replace or delete a route as the kernel does: by destination, table and metric."""
        if row.get("table") == "254":
            row.pop("table")
        keys = ("dst", "table", "metric")
        self.routes = [r for r in self.routes if any(r.get(key) != row.get(key) for key in keys)]
        self.routes += [row] if verb == "replace" else []

    def _rule(self, verb: str, words: list[str]) -> Result:
        fields = dict(zip(words[::2], words[1::2], strict=True))
        source = re.sub(r"/(32|128)$", "", fields["from"])
        row = {"priority": int(fields["priority"]), "src": source, "table": fields["lookup"]}
        row.update({"protocol": "4"} if fields.get("protocol") == "static" else {})
        same = ("priority", "src", "table")
        self.rules = [r for r in self.rules if any(r[key] != row[key] for key in same)]
        self.rules += [row] if verb == "add" else []
        return OK

    def _reload(self) -> None:
        """Take up the files as networkd does: what they say no more goes, what they say comes."""
        if self.deaf:
            return
        texts = {p: p.read_text() for p in sorted(self.folder.glob("etc/systemd/network/*"))}
        for path, text in texts.items():
            if path.suffix == ".netdev":
                self._make_netdev(dict(re.findall(r"^(\w+)=(\S+)$", text, re.M)))
        found = {}
        for name in self.links:
            file = next((p for p, text in texts.items() if p.suffix == ".network" and self._matches(name, text)), None)
            found[name] = (file, texts[file] if file else "")
        # A port whose file is the same is left alone, whatever somebody did to it.
        changed = [name for name, (_, text) in found.items() if self.files.get(name, "") != text]
        for name in changed:
            state = self.folder / "run/systemd/netif/links" / str(self.links[name]["index"])
            state.unlink(missing_ok=True)
            self._drop(name, self.files.pop(name, ""))
        if any(found[name][0] for name in changed):
            # ManageForeignRoutingPolicyRules: rules that are not of networkd's own protocol are somebody else's.
            self.rules = [row for row in self.rules if row.get("protocol") == "4"]
        for name in changed:
            file, text = found[name]
            if file:
                self._take(name, "/" + str(file.relative_to(self.folder)), text)

    def _make_netdev(self, rows: dict[str, str]) -> None:
        if rows["Name"] in self.links:
            return
        settings = {"mode": rows["Mode"], "miimon": rows["MIIMonitorSec"].removesuffix("ms")}
        words = {"TransmitHashPolicy": "xmit_hash_policy", "LACPTransmitRate": "lacp_rate"}
        settings.update({words[key]: value for key, value in rows.items() if key in words})
        self.make_bond(rows["Name"], settings)
        self.links[rows["Name"]]["mtu"] = int(rows.get("MTUBytes", 1500))

    def _matches(self, name: str, text: str) -> bool:
        device = self.folder / "sys/class/net" / name / "device"
        path = f"pci-{device.readlink().name}" if device.is_symlink() else ""
        rows = dict(re.findall(r"^(Path|Name|MACAddress)=(\S+)$", text.split("[Network]")[0], re.M))
        given = {"Path": f"*{path}", "Name": name, "MACAddress": self.links[name]["mac"]}
        return bool(rows) and all(given[key] == value for key, value in rows.items())

    def _drop(self, name: str, text: str) -> None:
        for address in re.findall(r"^Address=(\S+)$", text, re.M):
            if address in self.links[name]["addresses"]:
                self.links[name]["addresses"].remove(address)
        tables = set(re.findall(r"^Table=(\d+)$", text, re.M)) - {"254"}
        self.rules = [row for row in self.rules if row["table"] not in tables]
        metrics = {int(one) for one in re.findall(r"^Metric=(\d+)$", text, re.M)}
        self.routes = [row for row in self.routes if row["dev"] != name or row.get("metric") not in metrics]

    def _take(self, name: str, path: str, text: str) -> None:
        self.files[name] = text
        state = self.folder / "run/systemd/netif/links" / str(self.links[name]["index"])
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text(f"# private\nADMIN_STATE=configured\nNETWORK_FILE={path}\n")
        self.links[name]["up"] = True
        for section, body in re.findall(r"^\[(\w+)\]\n((?:\w.*\n)*)", text, re.M):
            rows = re.findall(r"^(\w+)=(.*)$", body, re.M)
            one = dict(rows)
            if "Bond" in one:
                self._join(name, one["Bond"])
            for address in (value for key, value in rows if key == "Address"):
                self._addr("replace", [address, "dev", name])
            if section == "RoutingPolicyRule":
                words = ["from", one["From"], "lookup", one["Table"], "priority", one["Priority"], "protocol", "static"]
                self._rule("add", words)
            if section == "Route":
                shown = "default" if one["Destination"] in ("0.0.0.0/0", "::/0") else one["Destination"]
                via = ["via", one["Gateway"]] if "Gateway" in one else []
                via += ["src", one["PreferredSource"]] if "PreferredSource" in one else []
                words = [shown, "dev", name, *via, "metric", one["Metric"]]
                self._route("replace", [*words, "table", one["Table"]])

"""A machine in a folder that answers like a kernel with its tools: what is written has the effect it has on a real one.

Written from the manual pages (tc, modprobe, systemctl, update-grub, grubby), not from raceway's code, so that a round
trip compares two accounts. It deliberately knows only what the kernel nouns do.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from raceway.host import Result

from .builders import FakeHost, commands, make_machine

THP = "/sys/kernel/mm/transparent_hugepage/"
OK = Result(0, "", "")


class FakeKernel(FakeHost):
    """One recorded machine, alive. ``broken`` names programs that claim success and do nothing."""

    def __init__(self, shape: str, folder: Path, broken: Sequence[str] = ()) -> None:
        super().__init__(make_machine(shape, folder), commands(shape))
        self.tree = Path(self.root)
        self.broken = set(broken)
        self.qdiscs = json.loads(self.programs.pop("tc -j qdisc show"))  # type: ignore[arg-type]
        shown = str(self.programs.pop("systemctl")).splitlines()
        self.defaults = dict(line.split("=", 1) for line in shown if line)
        self.effective = dict(self.defaults)
        self.next_handle = 0x8001
        self.tools: dict[str, Callable[[list[str]], Result]] = {
            "tc": self._tc,
            "modprobe": self._modprobe,
            "rmmod": self._rmmod,
            "systemctl": self._systemctl,
            "update-grub": self._update_grub,
        }
        if (self.tree / "boot/loader/entries").exists():
            self.tools["grubby"] = self._grubby

    def which(self, program: str) -> str | None:
        """Return a path for every program there is."""
        return f"/usr/sbin/{program}" if program in self.tools else super().which(program)

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Run a tool of this machine."""
        tool = self.tools.get(argv[0])
        if tool is None:
            return super().run(argv, timeout, stdin)
        self.calls.append(" ".join(argv))
        if argv[0] in self.broken and "show" not in argv:
            return OK
        return tool(list(argv[1:]))

    def poke(self, path: str, text: str) -> None:
        """Write into /proc or /sys; a choice file keeps its list and moves the brackets."""
        if path.startswith(THP):
            words = [word.strip("[]") for word in (self.read(path) or "").split()]
            if text.strip() not in words:
                raise OSError(22, "Invalid argument", path)
            text = " ".join(f"[{word}]" if word == text.strip() else word for word in words) + "\n"
        super().poke(path, text)

    def state(self) -> dict[str, object]:
        """Return what is in force and stands in no file; handles are the kernel's own affair."""
        rows = [(q["dev"], q["kind"], str(q.get("parent", "")).rsplit(":", 1)[-1]) for q in self.qdiscs]
        return {"qdiscs": sorted(rows), "limits": dict(self.effective)}

    def _tc(self, words: list[str]) -> Result:
        if words == ["-j", "qdisc", "show"]:
            return Result(0, json.dumps(self.qdiscs), "")
        verb, dev = words[1], words[3]
        root = next(q for q in self.qdiscs if q["dev"] == dev and q.get("root"))
        if words[4] == "parent":
            child = next((q for q in self.qdiscs if q["dev"] == dev and q.get("parent") == words[5]), None)
            if child is None or words[5].startswith(":"):
                return Result(2, "", "Error: Failed to find specified qdisc.")
            child.update(kind=words[6], handle=self._handle())
            return OK
        if verb == "del":
            if root["handle"] == "0:":
                return Result(2, "", "Error: Cannot delete qdisc with handle of zero.")
            self._default_root(dev, root["kind"])
            return OK
        if root["handle"] == "0:" or root["kind"] != words[5]:
            self._put_root(dev, words[5], self._handle())
        return OK

    def _handle(self) -> str:
        self.next_handle += 1
        return f"{self.next_handle:x}:"

    def _put_root(self, dev: str, kind: str, handle: str) -> None:
        queues = sum(1 for q in self.qdiscs if q["dev"] == dev and "parent" in q)
        self.qdiscs = [q for q in self.qdiscs if q["dev"] != dev]
        self.qdiscs.append({"kind": kind, "handle": handle, "dev": dev, "root": True, "options": {}})
        default = (self.read("/proc/sys/net/core/default_qdisc") or "").strip()
        for number in range(queues, 0, -1) if kind == "mq" else ():
            parent = f"{'' if handle == '0:' else handle[:-1]}:{number:x}"
            self.qdiscs.append({"kind": default, "handle": "0:", "dev": dev, "parent": parent, "options": {}})

    def _default_root(self, dev: str, kind: str) -> None:
        default = (self.read("/proc/sys/net/core/default_qdisc") or "").strip()
        self._put_root(dev, "mq" if kind == "mq" else default, "0:")

    def _modprobe(self, words: list[str]) -> Result:
        lists = "\n".join(path.read_text() for path in self.tree.glob("lib/modules/*/modules.dep"))
        if not re.search(rf"/{words[-1].replace('_', '[-_]')}\.ko", lists):
            return Result(1, "", f"modprobe: FATAL: Module {words[-1]} not found")
        folder = self.tree / "sys/module" / words[-1]
        folder.mkdir(parents=True)
        (folder / "initstate").write_text("live\n")
        (folder / "refcnt").write_text("0\n")
        return OK

    def _rmmod(self, words: list[str]) -> Result:
        shutil.rmtree(self.tree / "sys/module" / words[-1])
        return OK

    def _systemctl(self, words: list[str]) -> Result:
        if words[0] == "show":
            wanted = words[2].split(",")
            return Result(0, "".join(f"{key}={self.effective[key]}\n" for key in wanted), "")
        if words[0] == "daemon-reexec":
            self.effective = dict(self.defaults)
            for path in sorted(self.tree.glob("etc/systemd/system.conf.d/*.conf")):
                for key, value in re.findall(r"^(DefaultLimit\w+)=(\S+)$", path.read_text(), re.MULTILINE):
                    self.effective.update({key: value, f"{key}Soft": value})
        return OK

    def _update_grub(self, _words: list[str]) -> Result:
        linux, default = "", ""
        for path in [self.tree / "etc/default/grub", *sorted(self.tree.glob("etc/default/grub.d/*.cfg"))]:
            for name, value in re.findall(r'^GRUB_CMDLINE_LINUX(_DEFAULT)?="(.*)"$', path.read_text(), re.MULTILINE):
                if name:
                    default = value
                else:
                    linux = value.replace("$GRUB_CMDLINE_LINUX", linux)
        place = self.tree / "boot/grub/grub.cfg"
        head, ours, tail = re.split(
            r"(?<=10_linux ###\n)(.*?)(?=### END /etc/grub.d/10_linux)", place.read_text(), flags=re.S
        )
        normal, recovery = " ".join((linux + " " + default).split()), " ".join(linux.split())
        ours = re.sub(r" ro(?! single)( .*)?$", f" ro {normal}".rstrip(), ours, flags=re.M)
        ours = re.sub(r" ro single( .*)?$", f" ro single {recovery}".rstrip(), ours, flags=re.M)
        place.write_text(head + ours + tail)
        return OK

    def _grubby(self, words: list[str]) -> Result:
        change = words[1].split("=", 1)
        for path in self.tree.glob("boot/loader/entries/*.conf"):
            lines = path.read_text().splitlines()
            for number, line in enumerate(lines):
                if line.startswith("options "):
                    kept = [w for w in line.split() if w not in change[1].split()]
                    lines[number] = " ".join(kept + (change[1].split() if change[0] == "--args" else []))
            path.write_text("\n".join(lines) + "\n")
        return OK

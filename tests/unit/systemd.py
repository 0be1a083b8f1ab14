"""A stand-in for systemd and mount(8) that keeps its state in the tree of a test, so that whole runs can be told.

It deliberately behaves like the real manager where raceway depends on it: files are read at a reload only, a start of
a unit runs what was read, a busy mount stays, and every program start is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raceway.facts.mount import parse_mountinfo
from raceway.host import Result
from raceway.model.unit import install_section, setting

from .builders import FakeHost, make_tree

ETC, VENDOR = "/etc/systemd/system/", "/usr/lib/systemd/system/"
MOUNTINFO = "/proc/self/mountinfo"
SERVICE = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"


class SystemdHost(FakeHost):
    """``fails``: unit → what it writes to the journal instead of running. ``busy``: mount points in use."""

    def __init__(self, root: Path, files: dict[str, str] | None = None) -> None:
        base = {MOUNTINFO: "1 0 259:1 / / rw,relatime - ext4 /dev/vda1 rw\n", "/etc/fstab": "", "/run/keep": ""}
        super().__init__(make_tree(root, {**base, **(files or {})}), {"systemctl": "", "mount": "", "journalctl": ""})
        self.read_files: dict[str, str] = {}
        self.running: dict[str, str] = {}
        self.ran_with: dict[str, str] = {}
        self.fails: dict[str, str] = {}
        self.busy: set[str] = set()
        self.starts = 0
        self.reload()

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Carry out systemctl, journalctl, mount and umount; anything else is answered from the table."""
        words = [word for word in argv if word not in ("--", "--no-reload", "--no-pager")]
        if words[0] not in ("systemctl", "journalctl", "mount", "umount"):
            return super().run(argv, timeout, stdin)
        self.calls.append(" ".join(argv))
        if words[0] == "systemctl":
            return self._systemctl(words[1:])
        if words[0] == "journalctl":
            said = "" if words[1] == "--sync" else self.fails.get(words[2], "")
            words.append("")
            return Result(0, f"Dec 01 00:00:00 n systemd[1]: Starting {words[2]}\nDec 01 00:00:01 n x[9]: {said}\n", "")
        return self._remount(words[-1], words[2]) if words[0] == "mount" else self._umount(words[-1])

    def reload(self) -> None:
        """Read every unit file, as a daemon-reload does."""
        self.read_files = {}
        for folder in (VENDOR, ETC):
            for name in self.listdir(folder):
                text = self.read(folder + name)
                if text is not None and self.readlink(folder + name) is None:
                    self.read_files[name] = text

    def _systemctl(self, words: list[str]) -> Result:
        verb, names = words[0], words[1:]
        if verb == "daemon-reload":
            self.reload()
        elif verb == "show":
            return Result(0, "\n".join(self._show(name) for name in names[2:]), "")
        elif verb in ("enable", "disable", "reenable"):
            return self._links(verb, names[0])
        elif verb in ("start", "restart"):
            return self._start(names[0])
        elif verb == "stop":
            return self._stop(names[0])
        return Result(0, "", "")

    def _text(self, name: str) -> str | None:
        text = self.read(ETC + name)
        return self.read(VENDOR + name) if text is None else text

    def _wants(self, name: str) -> list[str]:
        rows = install_section(self._text(name) or self.read_files.get(name, ""))
        return [f"{ETC}{row.split('=')[1]}.wants/{name}" for row in rows if row.startswith("WantedBy=")]

    def _show(self, name: str) -> str:
        text = self.read_files.get(name)
        known = text if text is not None else self._text(name)
        state = "active" if name in self.running else "failed" if name in self.fails and self.starts else "inactive"
        links = [self.exists(link) for link in self._wants(name)]
        boot = "enabled" if any(links) else "disabled" if links else "static" if known is not None else ""
        rows = {
            "Id": name,
            "Names": name,
            "LoadState": "not-found" if known is None else "loaded",
            "ActiveState": state,
            "SubState": "running" if name in self.running else "dead",
            "UnitFileState": boot,
            "NeedDaemonReload": "yes" if text is not None and text != (self._text(name) or "") else "no",
            "Type": setting(known or "", "Service", "Type") or "simple",
            "InvocationID": self.running.get(name, ""),
            "ConditionResult": "no",
            "ConditionTimestampMonotonic": "0",
        }
        return "".join(f"{key}={value}\n" for key, value in rows.items())

    def _links(self, verb: str, name: str) -> Result:
        if self._text(name) is None:
            return Result(1, "", f"Failed to {verb} unit: Unit file {name} does not exist.\n")
        for link in self._wants(name):
            place = Path(self.path(link))
            place.unlink(missing_ok=True)
            if verb != "disable":
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(ETC + name)
        return Result(0, "", "")

    def _start(self, name: str) -> Result:
        self.starts += 1
        text = self.read_files.get(name)
        if text is None:
            return Result(5, "", f"Failed to start {name}: Unit {name} not found.\n")
        if name in self.fails:
            self.running.pop(name, None)
            return Result(1, "", f"Job for {name} failed because the control process exited with error code.\n")
        self.running[name], self.ran_with[name] = f"run{self.starts}", text
        if name.endswith(".mount"):
            where, options = setting(text, "Mount", "Where"), setting(text, "Mount", "Options")
            self._table(where, f"{setting(text, 'Mount', 'Type')} {setting(text, 'Mount', 'What')}", options)
        return Result(0, "", "")

    def _stop(self, name: str) -> Result:
        where = setting(self.read_files.get(name, ""), "Mount", "Where")
        if where in self.busy:
            return Result(1, "", f"Job for {name} failed.\n")
        self.running.pop(name, None)
        if where:
            self._umount(where)
        return Result(0, "", "")

    def _umount(self, where: str) -> Result:
        if where in self.busy:
            return Result(32, "", f"umount: {where}: target is busy.\n")
        rows = [row for row in (self.read(MOUNTINFO) or "").splitlines() if row.split()[4] != where]
        Path(self.path(MOUNTINFO)).write_text("\n".join(rows) + "\n")
        return Result(0, "", "")

    def _table(self, where: str, what: str, options: str) -> None:
        """Add a line to the kernel's table, with the options as a kernel shows them."""
        Path(self.path(where)).mkdir(parents=True, exist_ok=True)
        shown = ["size=65536k" if o == "size=64m" else o for o in options.split(",") if o not in ("nofail", "defaults")]
        flags = [o for o in shown if o in ("noatime", "nodev", "nosuid", "noexec", "ro")]
        extra = [o for o in shown if o not in flags]
        line = f"77 1 0:50 / {where} {','.join(['rw', 'relatime', *flags])} - {what} {','.join(['rw', *extra])}\n"
        Path(self.path(MOUNTINFO)).write_text((self.read(MOUNTINFO) or "") + line)

    def _remount(self, where: str, options: str) -> Result:
        row = next(row for row in parse_mountinfo(self.read(MOUNTINFO) or "", [where]))
        self._umount(where)
        self._table(where, f"{row.fstype} {row.source}", options.replace("remount,", ""))
        return Result(0, "", "")

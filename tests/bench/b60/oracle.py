"""The third, independent reading: runs on a node, knows no tool, prints how many settings are right and which are not.

It reads what is in force (/proc, file contents, systemctl, mountinfo, the limits of a fresh session) and what brings it
back at the next boot, in whatever place the tool chose. Standard library only; Python 3.9.
"""

from __future__ import annotations

import glob
import json
import os
import pwd
import stat
import subprocess
import sys

LIMIT_NAMES = {"memlock": "MEMLOCK", "nofile": "NOFILE", "nproc": "NPROC", "stack": "STACK"}
KIB = ("memlock", "stack")


def out(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def text(path):
    try:
        with open(path) as stream:
            return stream.read()
    except OSError:
        return None


def lines(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)):
            for line in (text(path) or "").splitlines():
                if line.strip() and line.lstrip()[0] not in "#;":
                    yield line


def sysctls(want):
    kept = {}
    for line in lines("/etc/sysctl.conf", "/etc/sysctl.d/*.conf"):
        key, _, value = line.partition("=")
        kept[key.strip().lstrip("-").replace("/", ".")] = " ".join(value.split())
    for key, value in want.items():
        live = text("/proc/sys/" + key.replace(".", "/"))
        yield key, live is not None and " ".join(live.split()) == value and kept.get(key) == value


def files(want):
    for path, row in want.items():
        right = text(path) == row["content"]
        if right:
            info = os.lstat(path)
            right = stat.S_IMODE(info.st_mode) == int(row["mode"], 8) and pwd.getpwuid(info.st_uid).pw_name == "root"
        yield path, right


def units(want):
    for name in want:
        shown = dict(
            row.split("=", 1) for row in out("systemctl", "show", "-p", "ActiveState,UnitFileState", name).split()
        )
        yield name, shown == {"ActiveState": "active", "UnitFileState": "enabled"}


def limits(want):
    code = "import json, resource as r; print(json.dumps({n: r.getrlimit(getattr(r, 'RLIMIT_' + n)) for n in %r}))"
    session = json.loads(out("su", "-s", "/usr/bin/python3", "nobody", "-c", code % list(LIMIT_NAMES.values())) or "{}")
    manager = dict(
        row.split("=", 1)
        for row in out("systemctl", "show", "-p", ",".join(f"DefaultLimit{n}" for n in LIMIT_NAMES.values())).split()
    )
    for item, (pam, systemd) in want.items():
        name = LIMIT_NAMES[item]
        number = int(pam) * (1024 if item in KIB else 1)
        yield item, session.get(name) == [number, number] and manager.get(f"DefaultLimit{name}") == systemd


def modules(want):
    listed = {line.strip() for line in lines("/etc/modules", "/etc/modules-load.d/*.conf")}
    for name in want:
        yield name, name in listed and os.path.isdir(f"/sys/module/{name}")


def mounts(want):
    there = {}
    for line in (text("/proc/self/mountinfo") or "").splitlines():
        head, _, tail = line.partition(" - ")
        there[head.split()[4]] = (tail.split()[0], set(tail.split()[2].split(",")))
    table = {line.split()[1] for line in lines("/etc/fstab") if len(line.split()) > 1}
    for path, options in want.items():
        unit = out("systemd-escape", "-p", "--suffix=mount", path).strip()
        kind, shown = there.get(path, ("", set()))
        boot = path in table or bool(
            glob.glob(f"/etc/systemd/system/*.wants/{unit}") + glob.glob(f"/etc/systemd/system/*.requires/{unit}")
        )
        yield path, kind == "tmpfs" and set(options.split(",")) <= shown and boot


def main():
    want = json.load(sys.stdin)
    right, wrong = 0, []
    for kind, reader in (
        ("sysctls", sysctls),
        ("files", files),
        ("units", units),
        ("limits", limits),
        ("modules", modules),
        ("mounts", mounts),
    ):
        for name, good in reader(want[kind]):
            right += bool(good)
            if not good:
                wrong.append(name)
    print(json.dumps({"right": right, "wrong": wrong}))


if __name__ == "__main__":
    main()

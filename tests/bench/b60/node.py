"""Runs on a node, fed with the settings: ``prepare`` it, ``reset`` it to how it was prepared, ``drift`` six settings.

``reset`` undoes what any of the tools leaves, their own state included, so that each first converge starts the same.
Standard library only; Python 3.9.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

ORIGINALS = "/usr/share/b60/sysctls.json"
UNIT = """[Unit]
Description=Bench unit {name}
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
[Install]
WantedBy=multi-user.target
"""
OWN = ("raceway", "b60")  # what a file name holds that one of the tools wrote


def run(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def proc(key):
    return "/proc/sys/" + key.replace(".", "/")


def read(path):
    try:
        with open(path) as stream:
            return stream.read()
    except OSError:
        return ""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as stream:
        stream.write(text)


def prepare(want):
    """What packages bring: unit files, the list of built-in modules, mount points. Originals are remembered once."""
    for name in want["units"]:
        write(f"/usr/lib/systemd/system/{name}", UNIT.format(name=name))
    release = os.uname().release
    builtin = "".join(f"kernel/bench/{name}.ko\n" for name in want["modules"] if os.path.isdir(f"/sys/module/{name}"))
    write(f"/lib/modules/{release}/modules.builtin", builtin)
    for path in want["mounts"]:
        os.makedirs(path, exist_ok=True)
    if not os.path.exists(ORIGINALS):
        write(ORIGINALS, json.dumps({key: read(proc(key)).strip() for key in want["sysctls"]}))
        write("/usr/share/b60/fstab", read("/etc/fstab"))
        write("/usr/share/b60/limits.conf", read("/etc/security/limits.conf"))
    run("systemctl", "daemon-reload")


def reset(want):
    """Back to the prepared node."""
    run("systemctl", "disable", "--now", *want["units"])
    for path in want["mounts"]:
        run("systemctl", "disable", run("systemd-escape", "-p", "--suffix=mount", path).stdout.strip())
        while run("umount", path).returncode == 0:
            pass
    for folder in (
        "/etc/sysctl.d",
        "/etc/modules-load.d",
        "/etc/modprobe.d",
        "/etc/security/limits.d",
        "/etc/systemd/system.conf.d",
        "/etc/systemd/user.conf.d",
        "/etc/systemd/system",
    ):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if any(mark in name for mark in OWN):
                path = os.path.join(folder, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    for path in ("/etc/b60", "/var/lib/raceway", "/run/raceway.lock", "/root/.ansible"):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)
    for name in os.listdir("/tmp"):
        if name.startswith(("pyinfra", "ansible", "mitogen", "sudo")):
            os.path.isdir(f"/tmp/{name}") or os.unlink(f"/tmp/{name}")
    write("/etc/fstab", read("/usr/share/b60/fstab"))
    write("/etc/security/limits.conf", read("/usr/share/b60/limits.conf"))
    for key, value in json.loads(read(ORIGINALS)).items():
        with open(proc(key), "w") as stream:
            stream.write(value)
    run("systemctl", "daemon-reload")
    run("systemctl", "reset-failed")


def drift(want):
    """Break one setting of each kind, in every file that carries it."""
    broken = want["drift"]
    with open(proc(broken["sysctl"]), "w") as stream:
        stream.write("77")
    with open(broken["file"], "a") as stream:
        stream.write("# by hand\n")
    run("systemctl", "stop", broken["unit"])
    for folder, word in (("/etc/security/limits.d", broken["limit"]), ("/etc/modules-load.d", broken["module"])):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            lines = read(path).splitlines(keepends=True)
            kept = [line for line in lines if word not in line.split() or line.startswith("#")]
            if kept != lines:
                write(path, "".join(kept))
    while run("umount", broken["mount"]).returncode == 0:
        pass


if __name__ == "__main__":
    {"prepare": prepare, "reset": reset, "drift": drift}[sys.argv[1]](json.load(sys.stdin))

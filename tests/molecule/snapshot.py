#!/usr/bin/env python3
"""Prints what a node looks like as JSON, by means of its own: no line of raceway is used, so it can testify about it.

Files (hash, mode, owner), kernel settings, modules, mounts, queues, unit states and manager limits. What changes by
itself (counters, random numbers) is left out by name. Standard library, any Python 3.
"""

import hashlib
import json
import os
import subprocess
import sys

FOLDERS = (
    "/etc",
    "/usr/local",
    "/usr/lib/systemd",
    "/usr/lib/sysctl.d",
    "/var/lib/raceway",
    "/root",
    "/dev/shm",
    "/opt",
    "/srv",
)
# ssh and systemd keep these moving; none is raceway's business.
SKIPPED_FILES = ("/etc/.updated", "/etc/.pwd.lock", "/etc/resolv.conf", "/etc/mtab", "/root/.ansible")
VOLATILE = (
    *("debug.exception-trace", "fs.binfmt_misc", "fs.dentry-state", "fs.file-nr", "fs.inode-nr", "fs.inode-state"),
    # A lab of many nodes raises it for its whole host; the second name is the same number.
    *("fs.inotify.max_user_instances", "user.max_inotify_instances"),
    *("fs.quota", "kernel.core_pattern", "kernel.ns_last_pid", "kernel.perf_cpu_time_max_percent"),
    *("kernel.perf_event_max_sample_rate", "kernel.pty.nr", "kernel.random", "kernel.sched_domain", "kernel.seccomp"),
    *("kernel.spl", "net.ipv4.conf.all.forwarding", "net.ipv4.tcp_fastopen_key", "net.ipv4.tcp_mem"),
    *("net.ipv4.udp_mem", "net.ipv6.conf", "net.netfilter.nf_conntrack_count", "sunrpc", "vm.stat_refresh"),
)


def files():
    """Return path → type, mode, owner and content hash of everything below the watched folders."""
    rows = {}
    for top in FOLDERS:
        for folder, names, leaves in os.walk(top):
            for name in names + leaves:
                path = os.path.join(folder, name)
                if path.startswith(SKIPPED_FILES) or "__pycache__" in path:
                    continue
                info = os.lstat(path)
                row = [oct(info.st_mode), info.st_uid, info.st_gid]
                if os.path.islink(path):
                    row.append(os.readlink(path))
                elif os.path.isfile(path):
                    with open(path, "rb") as handle:
                        row.append(hashlib.sha256(handle.read()).hexdigest())
                rows[path] = row
    return rows


def settings():
    """Return dotted key → value of every readable kernel setting that does not move by itself."""
    rows = {}
    for folder, _, leaves in os.walk("/proc/sys"):
        for name in leaves:
            path = os.path.join(folder, name)
            key = path[len("/proc/sys/") :].replace("/", ".")
            if key.startswith(VOLATILE):
                continue
            try:
                with open(path, errors="replace") as handle:
                    rows[key] = " ".join(handle.read().split())
            except OSError:
                continue
    return rows


def output(*argv):
    """Return the lines a program prints, or none where the program is absent."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return []
    return done.stdout.splitlines()


def units():
    """Return unit → enablement, unit → active state, and the manager's default limits."""
    enabled = dict(line.split()[:2] for line in output("systemctl", "list-unit-files", "--no-legend", "--no-pager"))
    active = {}
    for line in output("systemctl", "list-units", "--all", "--plain", "--no-legend", "--no-pager"):
        name, load, state = line.split()[:3]
        # Sessions, scopes and timers' services come and go with the very connection that asks.
        if (
            load == "loaded"
            and name.endswith((".service", ".mount", ".timer"))
            and not name.startswith(("session", "user@", "run-"))
        ):
            active[name] = "stopped" if state == "inactive" else state
    for moving in ("systemd-tmpfiles-clean.service", "systemd-hostnamed.service", "user-runtime-dir@0.service"):
        active.pop(moving, None)
    limits = [line for line in output("systemctl", "show") if line.startswith("DefaultLimit")]
    return {"enabled": enabled, "active": active, "limits": limits}


def main():
    with open("/proc/self/mountinfo") as handle:
        mounts = sorted(line.split()[4] for line in handle if not line.split()[4].startswith("/run/"))
    # A kernel built without loadable modules has no such file.
    modules = sorted(line.split()[0] for line in output("cat", "/proc/modules"))
    state = {
        "files": files(),
        "settings": settings(),
        "modules": modules,
        "mounts": mounts,
        "queues": sorted(output("tc", "qdisc", "show")),
        "units": units(),
    }
    json.dump(state, sys.stdout, sort_keys=True)


if __name__ == "__main__":
    main()

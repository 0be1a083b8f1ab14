"""What a privileged kubelet changes on the machine it runs on, remembered before and put back after.

A kubelet sets a few kernel parameters that belong to the whole host, and on cgroup v1 its nodes have subtrees in
hierarchies that nobody else mounts. The first lab writes down what was there, the last one to go puts it back; the note
lies below /run, because a reboot puts everything back by itself. It deliberately changes no parameter that is not in
its list, and removes no control group that is not named after a node of the lab.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from .. import files, locks

# The kubelet's own (pkg/kubelet/cm: setupKernelTunables), kube-proxy's, and what many watchers on one host need.
PARAMETERS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
    "net/netfilter/nf_conntrack_max",
    "fs/inotify/max_user_instances",
)
INOTIFY = "fs/inotify/max_user_instances"
INOTIFY_A_NODE = 40  # measured: 28 on a control-plane node with CoreDNS, 15 on a worker; pods bring their own
INOTIFY_OTHERS = 64
HIERARCHIES = ("hugetlb", "perf_event", "net_cls,net_prio")
NOTE = Path("/run/raceway-lab")
PROC = Path("/proc/sys")
# In a mount namespace of its own, so that a kill leaves no mount.
REMOVE = """
mkdir -p "$1"
shift_to=$1; shift
prefix=$1; shift
for names in "$@"; do
    mount -t cgroup -o "$names" cgroup "$shift_to" 2>/dev/null || continue
    for node in "$shift_to/$prefix"*; do
        [ -d "$node" ] && find "$node" -depth -type d -exec rmdir {} +
    done
    ls -d "$shift_to/$prefix"* 2>/dev/null
    umount "$shift_to"
done
rmdir "$shift_to"
"""


def hold(holder: Path, nodes: int, note: Path = NOTE, proc: Path = PROC) -> None:
    """Note the host's parameters for the lab whose folder is ``holder``; make room for ``nodes`` nodes' watchers."""
    with locks.exclusive(note / "lock"):
        known = _read(note)
        known.setdefault("values", {name: value for name in PARAMETERS if (value := _get(proc, name)) is not None})
        known["holders"] = sorted({*_alive(known), str(holder)})
        files.write_if_changed(note / "kernel.json", json.dumps(known, indent=1, sort_keys=True) + "\n", 0o600)
        needed = nodes * INOTIFY_A_NODE + INOTIFY_OTHERS
        if int(_get(proc, INOTIFY) or needed) < needed:
            (proc / INOTIFY).write_text(f"{needed}\n")


def give_back(holder: Path, note: Path = NOTE, proc: Path = PROC) -> list[str]:
    """Forget the lab; when it was the last one, put the parameters back. Return those that had changed."""
    if not note.exists():
        return []
    changed = []
    with locks.exclusive(note / "lock"):
        known = _read(note)
        known["holders"] = [other for other in _alive(known) if other != str(holder)]
        if known["holders"]:
            files.write_if_changed(note / "kernel.json", json.dumps(known, indent=1, sort_keys=True) + "\n", 0o600)
            return []
        for name, value in known.get("values", {}).items():
            if _get(proc, name) != value:
                (proc / name).write_text(f"{value}\n")
                changed.append(name)
        for path in sorted(note.iterdir()):
            path.unlink()
        note.rmdir()
    return changed


def remove_groups(prefix: str, work: Path, controllers: Path = Path("/proc/cgroups")) -> None:
    """Remove the control groups of nodes whose name begins with ``prefix`` from hierarchies of cgroup v1."""
    there = [names for names in HIERARCHIES if _mounted_somewhere(names, controllers.read_text())]
    if not there or Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return
    command = ["unshare", "--mount", "sh", "-c", REMOVE, "sh", str(work), prefix, *there]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if done.stdout.strip():
        raise RacewayError(
            f"control groups of {prefix}",
            f"do not go: {done.stdout.split()[0]}: {done.stderr.strip().splitlines()[-1:] or 'busy'}",
            act="look for processes in them, then run raceway lab down again",
        )


def _mounted_somewhere(names: str, table: str) -> bool:
    """Has one of these controllers a hierarchy?

    ``hugetlb 12 3 1``: name, hierarchy, number of groups, enabled; hierarchy 0 is none.
    """
    rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
    return any(row[0] in names.split(",") and row[1] != "0" for row in rows)


def _read(note: Path) -> dict[str, Any]:
    try:
        known = json.loads((note / "kernel.json").read_text())
        return known if isinstance(known, dict) else {}
    except (OSError, ValueError):
        return {}


def _alive(known: dict[str, Any]) -> list[str]:
    # A lab whose folder somebody removed by hand will not come to give anything back.
    return [other for other in known.get("holders", []) if Path(other).exists()]


def _get(proc: Path, name: str) -> str | None:
    try:
        return (proc / name).read_text().strip()
    except OSError:
        return None

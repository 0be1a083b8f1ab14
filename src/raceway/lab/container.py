"""The podman arguments of a lab node: as few rights as systemd, tmpfs mounts, units and net sysctls need.

No --privileged: podman's seccomp profile stays, /sys and /proc/sys stay read-only but for /proc/sys/net of the node's
own network namespace (``node_image/lab-init``), no host device is visible. It deliberately grants CAP_SYS_ADMIN, which
a determined root in the node can misuse: a lab node guards against accidents, not against attackers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from .podman import LABEL_HOME, LABEL_ID, LABEL_LAB, LABEL_SPEC
from .record import Node, Record

# Beside podman's default set. Each with what fails without it.
CAPABILITIES = {
    "SYS_ADMIN": "mounts, and systemd's sandboxing of units",
    "SYS_BOOT": "systemctl reboot and poweroff",
    "SYS_NICE": "units with Nice= or CPUSchedulingPolicy=",
    "NET_ADMIN": "net sysctls, addresses, qdiscs",
    "NET_RAW": "ping",
    "MKNOD": "units with PrivateDevices=",
    "AUDIT_WRITE": "logins through PAM",
}
# Raising a hard limit (LimitMEMLOCK=infinity) needs this one; not every host has it to give.
OPTIONAL = {"SYS_RESOURCE": 24}


def capabilities(bounding_set: int) -> list[str]:
    """The capabilities to add, given the host process's own bounding set (CapBnd)."""
    return [*CAPABILITIES, *[name for name, bit in OPTIONAL.items() if bounding_set >> bit & 1]]


def bounding_set(status: str) -> int:
    """Read ``CapBnd:\t000001ffffffffff`` from the text of /proc/self/status."""
    return next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapBnd:"))


def arguments(record: Record, node: Node, folder: Path, bounding: int) -> list[str]:
    """``podman run`` for one node; ``folder`` is the lab's folder with ssh/nodes/NAME in it."""
    keys = folder / "ssh" / "nodes" / node.name
    flags = [
        "run",
        "--detach",
        "--pull=never",
        f"--name={node.container}",
        f"--hostname={node.name}",
        f"--network={record.network}",
        f"--ip={node.address}",
        # podman's own systemd mode would bind the host's shared name=systemd tree on cgroup v1.
        "--systemd=false",
        "--cgroupns=private",
        "--env=container=podman",
        "--stop-signal=SIGRTMIN+3",
        "--stop-timeout=10",
        "--tmpfs=/run:rw,mode=755",
        "--tmpfs=/run/lock:rw",
        "--tmpfs=/tmp:rw,mode=1777",
        f"--volume={keys}:/etc/ssh/lab:ro",
        # Both confine mounts; on hosts without AppArmor and SELinux they change nothing.
        "--security-opt=apparmor=unconfined",
        "--security-opt=label=disable",
        f"--cap-add={','.join(capabilities(bounding))}",
    ]
    return [*flags, *labels(record, folder), f"--label={LABEL_SPEC}={spec(flags, record.image)}", record.image]


def labels(record: Record, folder: Path) -> list[str]:
    """What marks a thing as this lab's."""
    pairs = {LABEL_ID: record.id, LABEL_LAB: record.name, LABEL_HOME: str(folder)}
    return [word for name, value in pairs.items() for word in ("--label", f"{name}={value}")]


def spec(flags: list[str], image: str) -> str:
    """A hash that differs when the container would have to be made anew."""
    return hashlib.sha256("\0".join([*flags, image]).encode()).hexdigest()[:16]

"""What the host must have for container nodes: programs and rights, told in one message, installed on request.

It deliberately installs nothing unasked and knows Debian's and Ubuntu's packages only; elsewhere it names the programs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from raceway.errors import RacewayError

from .progress import Steps

# Program → Debian package. netavark and aardvark-dns are podman's helpers, outside PATH.
PACKAGES = {
    "podman": "podman",
    "runc": "runc",
    "netavark": "netavark",
    "aardvark-dns": "aardvark-dns",
    "iptables": "iptables",
    "mmdebstrap": "mmdebstrap",
    "ssh": "openssh-client",
    "unshare": "util-linux",
    "ip": "iproute2",
}
HELPER_FOLDERS = ("/usr/lib/podman", "/usr/libexec/podman", "/usr/local/libexec/podman", "/usr/local/lib/podman")
INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
INOTIFY_A_NODE = 6  # 5 measured
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def missing(which: Callable[[str], str | None] = shutil.which, keyring: Path = KEYRING) -> list[str]:
    """Return the packages whose program is not there, in a fixed order."""
    path = os.pathsep.join(HELPER_FOLDERS)
    absent = [
        package
        for program, package in PACKAGES.items()
        if not which(program) and not shutil.which(program, path=path) and not which(f"/usr/sbin/{program}")
    ]
    return absent + ([] if keyring.exists() else ["debian-archive-keyring"])


def install_line(packages: list[str]) -> str:
    """The command a person would type."""
    return f"apt-get install -y --no-install-recommends {' '.join(packages)}"


def check(install: bool, steps: Steps, log: Path) -> None:
    """Fail with one message when something is missing, or install it when asked to."""
    absent = missing()
    if absent and install:
        _install(absent, steps, log)
        absent = missing()
    if absent:
        apt = shutil.which("apt-get") is not None
        raise RacewayError(
            "this host",
            f"lacks {', '.join(absent)}, needed for lab nodes",
            act=(
                f"run `{install_line(absent)}` as root, or add --install-missing"
                if apt
                else "install these (Debian's names), or use --no-nodes for the control plane alone"
            ),
        )
    if os.geteuid() != 0:
        raise RacewayError(
            "lab nodes",
            "not root",
            act="run as root: systemd in a container needs its own cgroups and network; "
            "the control plane alone runs as any user: add --no-nodes",
        )


def check_inotify(nodes: int, limit: Path = INOTIFY) -> None:
    """Fail before the first node is made when the host lets root hold too few inotify instances for all of them.

    The systemd, udev, journal and dbus of each node hold some, all of the host's one root; the nodes beyond the limit
    would never finish to boot.
    """
    try:
        held = int(limit.read_text())
    except (OSError, ValueError):
        return
    needed = nodes * INOTIFY_A_NODE
    if needed > held:
        raise RacewayError(
            "fs.inotify.max_user_instances",
            f"{held}, enough for {held // INOTIFY_A_NODE} nodes",
            f"{needed} or more for {nodes} nodes",
            f"run `sysctl -w fs.inotify.max_user_instances={needed + 128}` as root, or ask for fewer nodes",
        )


def _install(packages: list[str], steps: Steps, log: Path) -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise RacewayError("--install-missing", "needs root and apt-get", act=f"install: {', '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], [*install_line(packages).split(" "), "-q"]):
        with steps.step(f"{' '.join(command[:2])} ({len(packages)} packages)"), log.open("ab") as stream:
            result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
        if result.returncode:
            raise RacewayError(" ".join(command), f"exit {result.returncode}", act="see the log", log=str(log))

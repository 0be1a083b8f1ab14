"""What the host must have for container or VM nodes: programs, rights, memory, told in one message.

It deliberately installs nothing unasked and knows Debian's and Ubuntu's packages only; elsewhere it names the programs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
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
VM_PACKAGES = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "xz": "xz-utils",
    "ssh": "openssh-client",
    "unshare": "util-linux",
}
# Resident after boot: 650 MiB measured, 950 after an apt-get; the rest of a guest's memory is never touched.
VM_MIB = 1024
HELPER_FOLDERS = ("/usr/lib/podman", "/usr/libexec/podman", "/usr/local/libexec/podman", "/usr/local/lib/podman")
INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
INOTIFY_A_NODE = 6  # 5 measured
MEMINFO = Path("/proc/meminfo")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def missing(
    which: Callable[[str], str | None] = shutil.which,
    keyring: Path = KEYRING,
    packages: Mapping[str, str] = PACKAGES,
) -> list[str]:
    """Return the packages whose program is not there, in a fixed order."""
    path = os.pathsep.join(HELPER_FOLDERS)
    absent = [
        package
        for program, package in packages.items()
        if not which(program) and not shutil.which(program, path=path) and not which(f"/usr/sbin/{program}")
    ]
    return absent + ([] if keyring.exists() else ["debian-archive-keyring"])


def install_line(packages: list[str]) -> str:
    """The command a person would type."""
    return f"apt-get install -y --no-install-recommends {' '.join(packages)}"


def check(install: bool, steps: Steps, log: Path) -> None:
    """Fail with one message when something container nodes need is missing, or install it when asked to."""
    other = "install these (Debian's names), or use --no-nodes for the control plane alone"
    _settle(missing, "lab nodes", other, install, steps, log)
    if os.geteuid() != 0:
        raise RacewayError(
            "lab nodes",
            "not root",
            act="run as root: systemd in a container needs its own cgroups and network; "
            "the control plane alone runs as any user: add --no-nodes",
        )


def missing_for_vms() -> list[str]:
    """Return the packages that VM nodes need and whose program is not there."""
    return missing(packages=VM_PACKAGES)


def check_vm(install: bool, steps: Steps, log: Path) -> None:
    """Fail with one message when something VM nodes need is missing, or install it when asked to.

    Root is needed to build their image, not to run them: ``vm.image`` says so where it builds.
    """
    _settle(missing_for_vms, "VM nodes", "install these (Debian's names)", install, steps, log)


def check_memory(vms: int, meminfo: Path = MEMINFO) -> None:
    """Fail before the first VM is started when this host has too little memory for ``vms`` more."""
    try:
        available = next(line for line in meminfo.read_text().splitlines() if line.startswith("MemAvailable:"))
        free_mib = int(available.split()[1]) // 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return
    if vms * VM_MIB > free_mib:
        raise RacewayError(
            "memory of this host",
            f"{free_mib} MiB available, enough for {free_mib // VM_MIB} VMs",
            f"{vms * VM_MIB} MiB or more for {vms} VMs",
            "ask for fewer --nodes, or end what needs the memory",
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


def _settle(ask: Callable[[], list[str]], what: str, without_apt: str, install: bool, steps: Steps, log: Path) -> None:
    absent = ask()
    if absent and install:
        _install(absent, steps, log)
        absent = ask()
    if absent:
        apt = shutil.which("apt-get") is not None
        line = f"run `{install_line(absent)}` as root, or add --install-missing"
        raise RacewayError(
            "this host", f"lacks {', '.join(absent)}, needed for {what}", act=line if apt else without_apt
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

"""The node images: a small Debian with systemd and sshd, made by mmdebstrap, named by a hash of its recipe.

What goes in stands here in one place, for plain nodes and for those of a Kubernetes cluster; another recipe is another
image, and labs that use the old one keep it. It deliberately puts no program of ours into an image: those come to a
node as they come to a real one.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from raceway.errors import RacewayError
from raceway.paths import cache_dir

from . import debian, files, locks
from .podman import Podman
from .progress import Steps

SUITE = "bookworm"
SOURCES = Path(__file__).parent / "node_image"
KUBE_SOURCES = Path(__file__).parent / "kube_node_image"
PACKAGES = (
    "ca-certificates",
    "dbus",
    "ethtool",
    "iproute2",
    "iputils-ping",
    "kmod",
    "openssh-server",
    "pciutils",
    "procps",
    "python3",
    "python3-apt",
    "systemd",
    "systemd-sysv",
    "udev",
    "util-linux-extra",
)
# Timers would change files behind a test's back; the mounts and getties have nothing to work on in a container.
MASKED = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "fstrim.timer",
    "console-getty.service",
    "getty.target",
    "dev-hugepages.mount",
    "sys-fs-fuse-connections.mount",
)
# containerd and what kubeadm's preflight, kube-proxy and the bridge network want on a node; keepalived for a virtual
# address; jq, curl and tcpdump for people who look.
KUBE_PACKAGES = (
    "conntrack",
    "containerd",
    "containernetworking-plugins",
    "curl",
    "ebtables",
    "ipset",
    "iptables",
    "jq",
    "keepalived",
    "nftables",
    "runc",
    "socat",
    "tcpdump",
)
# A node inside a container finds none of the host's devices to manage, and must not change them.
KUBE_MASKED = (
    "systemd-udevd.service",
    "systemd-udev-trigger.service",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "sys-kernel-config.mount",
    "proc-sys-fs-binfmt_misc.automount",
    "systemd-modules-load.service",
    "getty@tty1.service",
)


@dataclass(frozen=True)
class NodeImage:
    """One recipe. ``init``: the first process; ``sources``: folders of files that go in; ``more``: further hooks."""

    title: str
    repository: str
    packages: tuple[str, ...]
    masked: tuple[str, ...]
    sources: tuple[Path, ...]
    init: str
    more: tuple[str, ...] = ()

    def hooks(self) -> list[str]:
        """What is done in the new root at the end (mmdebstrap customize hooks)."""
        plain = self.sources[0]
        return [
            f'install -D -m 755 "{plain}/lab-init" "$1/usr/local/sbin/lab-init"',
            f'install -D -m 644 "{plain}/sshd.conf" "$1/etc/ssh/sshd_config.d/00-raceway-lab.conf"',
            'rm -f "$1"/etc/ssh/ssh_host_* "$1/etc/hostname" "$1/etc/resolv.conf"; : > "$1/etc/machine-id"',
            'mkdir -p "$1/etc/ssh/lab"; chroot "$1" systemctl --quiet enable ssh.service',
            f'chroot "$1" systemctl --quiet mask {" ".join(self.masked)}',
            *[hook.replace("SOURCES", str(self.sources[-1])) for hook in self.more],
        ]

    def command(self, output: str = "-") -> list[str]:
        """The mmdebstrap call."""
        return debian.command(SUITE, self.packages, self.hooks(), output)

    def tag(self) -> str:
        """The image's full name: the hash covers the call and the files that go in."""
        digest = hashlib.sha256()
        for word in self.command():
            for folder in self.sources:
                word = word.replace(str(folder), "")
            digest.update(word.encode() + b"\0")
        for path in (path for folder in self.sources for path in sorted(folder.iterdir())):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        return f"{self.repository}:{digest.hexdigest()[:12]}"


NODE = NodeImage(
    title="node image: Debian with systemd and sshd (first time only, about 2 min)",
    repository="localhost/raceway-lab-node",
    packages=PACKAGES,
    masked=MASKED,
    sources=(SOURCES,),
    init="/usr/local/sbin/lab-init",
)
# What a node of a cluster is given by its distribution; kubelet and kubeadm are brought by the role.
KUBE_NODE = replace(
    NODE,
    title="Kubernetes node image: Debian with containerd (first time only, about 2 min)",
    repository="localhost/raceway-lab-kube-node",
    packages=tuple(sorted({*PACKAGES, *KUBE_PACKAGES})),
    masked=(*MASKED, *KUBE_MASKED),
    sources=(SOURCES, KUBE_SOURCES),
    init="/usr/local/sbin/kube-init",
    more=(
        'install -D -m 755 "SOURCES/kube-init" "$1/usr/local/sbin/kube-init"',
        'install -D -m 644 "SOURCES/lab-pods-stop.service" "$1/etc/systemd/system/lab-pods-stop.service"',
        'install -D -m 755 "SOURCES/lab-pods-stop" "$1/usr/local/sbin/lab-pods-stop"',
        'chroot "$1" systemctl --quiet enable lab-pods-stop.service containerd.service',
        # Keepalived is there for clusters with a virtual address; which one it keeps is the role's to say.
        'chroot "$1" systemctl --quiet disable keepalived.service',
    ),
)


def tag(recipe: NodeImage = NODE) -> str:
    """The full name of the image of this recipe."""
    return recipe.tag()


def ensure(podman: Podman, steps: Steps, lab_id: str, recipe: NodeImage = NODE) -> str:
    """Return the image's name; build it if it is not there. Two labs that need it at once build it once."""
    name = recipe.tag()
    if podman.image_exists(name):
        return name
    work = cache_dir() / "lab-image"
    with locks.exclusive(work / "lock"):
        if not podman.image_exists(name):
            build(podman, recipe, work / "build", steps, lab_id)
    return name


def sweep() -> None:
    """Remove what a killed build left in the cache; a build that is running is left alone."""
    work = cache_dir() / "lab-image"
    if (work / "build").exists():
        with contextlib.suppress(RacewayError), locks.exclusive(work / "lock", busy="the node image"):
            shutil.rmtree(work / "build", ignore_errors=True)


def build(podman: Podman, recipe: NodeImage, work: Path, steps: Steps, lab_id: str) -> None:
    """Build in ``work`` (emptied first: a killed build leaves plain files there, never mounts) and import."""
    shutil.rmtree(work, ignore_errors=True)
    files.folder(work)
    tarball, log = work / "root.tar", work.parent / "build.log"
    try:
        debian.build(recipe.command(str(tarball)), work, log, recipe.title, steps, lab_id)
        with steps.step("node image: import into podman"):
            changes = ["--change", f'CMD ["{recipe.init}"]', "--change", "STOPSIGNAL SIGRTMIN+3"]
            podman.run(["import", *changes, str(tarball), recipe.tag()], timeout=600, mortal=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)

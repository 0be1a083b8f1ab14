"""The node image: a small Debian with systemd and sshd, made by mmdebstrap, named by a hash of its recipe.

What goes in stands here in one place; another recipe is another image, and labs that use the old one keep it. The build
runs in mount and process namespaces of its own, so that a kill at any moment leaves neither mounts nor processes. It
deliberately fetches no container image: there is nothing to trust but Debian's own signatures.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from raceway.errors import RacewayError
from raceway.paths import cache_dir

from . import files, locks, processes
from .podman import Podman
from .progress import Steps

REPOSITORY = "localhost/raceway-lab-node"
SUITE = "bookworm"
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
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
SOURCES = Path(__file__).parent / "node_image"


def hooks() -> list[str]:
    """What is done in the new root at the end (mmdebstrap customize hooks)."""
    sources = SOURCES
    return [
        f'install -D -m 755 "{sources}/lab-init" "$1/usr/local/sbin/lab-init"',
        f'install -D -m 644 "{sources}/sshd.conf" "$1/etc/ssh/sshd_config.d/00-raceway-lab.conf"',
        'rm -f "$1"/etc/ssh/ssh_host_* "$1/etc/hostname" "$1/etc/resolv.conf"; : > "$1/etc/machine-id"',
        'mkdir -p "$1/etc/ssh/lab"; chroot "$1" systemctl --quiet enable ssh.service',
        f'chroot "$1" systemctl --quiet mask {" ".join(MASKED)}',
    ]


def command(output: str = "-") -> list[str]:
    """The mmdebstrap call. ``RACEWAY_LAB_MIRROR`` names another Debian mirror, for instance a snapshot."""
    mirror = os.environ.get("RACEWAY_LAB_MIRROR", "")
    return [
        "mmdebstrap",
        "--variant=minbase",
        "--mode=root",
        f"--include={','.join(PACKAGES)}",
        *[f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT],
        *[f"--customize-hook={hook}" for hook in hooks()],
        SUITE,
        output,
        *([mirror] if mirror else []),
    ]


def tag() -> str:
    """The image's full name: the hash covers the call and the files that go in."""
    digest = hashlib.sha256()
    for word in command():
        digest.update(word.replace(str(SOURCES), "").encode() + b"\0")
    for path in sorted(SOURCES.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{REPOSITORY}:{digest.hexdigest()[:12]}"


def ensure(podman: Podman, steps: Steps, lab_id: str) -> str:
    """Return the image's name; build it if it is not there. Two labs that need it at once build it once."""
    name = tag()
    if podman.image_exists(name):
        return name
    work = cache_dir() / "lab-image"
    with locks.exclusive(work / "lock"):
        if not podman.image_exists(name):
            build(podman, name, work / "build", steps, lab_id)
    return name


def sweep() -> None:
    """Remove what a killed build left in the cache; a build that is running is left alone."""
    work = cache_dir() / "lab-image"
    if (work / "build").exists():
        with contextlib.suppress(RacewayError), locks.exclusive(work / "lock", busy="the node image"):
            shutil.rmtree(work / "build", ignore_errors=True)


def build(podman: Podman, name: str, work: Path, steps: Steps, lab_id: str) -> None:
    """Build in ``work`` (emptied first: a killed build leaves plain files there, never mounts) and import."""
    shutil.rmtree(work, ignore_errors=True)
    files.folder(work)
    tarball, log = work / "root.tar", work.parent / "build.log"
    # `unshare --kill-child` ends everything inside when its parent goes.
    inner = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *command(str(tarball))]
    environment = {**os.environ, "TMPDIR": str(work), processes.MARK: lab_id, "LC_ALL": "C.UTF-8"}
    try:
        with steps.step("node image: Debian with systemd and sshd (first time only, about 2 min)") as detail:
            with log.open("wb") as stream:
                code = processes.call(inner, environment, stream, lambda: detail(files.last_line(log)))
            if code:
                raise RacewayError(
                    "node image",
                    f"mmdebstrap ended with {code}: {files.last_line(log)}",
                    act="check that Debian's mirror is reachable (RACEWAY_LAB_MIRROR names another) and run again",
                    log=str(log),
                )
            detail("import into podman")
            podman.run(
                [
                    "import",
                    "--change",
                    'CMD ["/usr/local/sbin/lab-init"]',
                    "--change",
                    "STOPSIGNAL SIGRTMIN+3",
                    str(tarball),
                    name,
                ],
                timeout=600,
                mortal=True,
            )
    finally:
        shutil.rmtree(work, ignore_errors=True)

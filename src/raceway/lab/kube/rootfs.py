"""The root file systems lab images stand on: Debian by mmdebstrap, each in the cache under a hash of its recipe.

``work`` is for programs that need a shell, Python or the network tools; ``torch`` is what a training job's workers run
in, with Debian's own PyTorch. It deliberately pins the recipe and not each package: an image that is there is used, one
that is made anew has Debian's fixes.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from raceway.errors import RacewayError
from raceway.paths import cache_dir

from .. import debian, files, locks
from ..progress import Steps

KEPT = 1  # files of other recipes that stay in the cache, of each name, for another checkout


@dataclass(frozen=True)
class Rootfs:
    """One recipe."""

    name: str
    suite: str
    packages: tuple[str, ...]
    hooks: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A hash of the recipe."""
        words = debian.command(self.suite, self.packages, self.hooks)
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]

    @property
    def path(self) -> Path:
        """Where it lies once it is whole."""
        return store() / f"{self.name}-{self.key}.tar"


# Caches of the package manager are of no use in an image nobody installs into.
LEAN = 'rm -rf "$1"/var/cache/apt "$1"/var/lib/apt/lists/* "$1"/var/log/*'
WORK = Rootfs(
    "work",
    "bookworm",
    (
        "ca-certificates",
        "conntrack",
        "curl",
        "iproute2",
        "iptables",
        "iputils-ping",
        "kmod",
        "nftables",
        "openssl",
        "procps",
        "python3-minimal",
        "python3",
    ),
    (LEAN,),
)
# Debian builds PyTorch 2.6 without libuv, and asks for it all the same where the caller says nothing: torchrun ends
# with "use_libuv was requested but PyTorch was build without libuv support". May go when its torchrun works.
WITHOUT_LIBUV = (
    "_store = TCPStore.__init__",
    "TCPStore.__init__ = lambda self, *words, **more: _store(self, *words, **dict(more, use_libuv=False))",
)
_DISTRIBUTED = '"$1"/usr/lib/python3/dist-packages/torch/distributed/__init__.py'
# trixie: its PyTorch is 2.6, bookworm's 1.13.
TORCH = Rootfs(
    "torch",
    "trixie",
    ("ca-certificates", "iproute2", "iputils-ping", "procps", "python3", "python3-numpy", "python3-torch"),
    (
        LEAN,
        'rm -rf "$1"/usr/lib/libtorch-test',
        f"printf '%s\\n' {' '.join(shlex.quote(line) for line in WITHOUT_LIBUV)} >> {_DISTRIBUTED}",
    ),
)


def store() -> Path:
    """Folder of all root file systems of this user."""
    return cache_dir() / "kube" / "rootfs"


def ensure(rootfs: Rootfs, steps: Steps, lab_id: str = "") -> Path:
    """Return the tar; make it if it is not there. Two labs that need it at once make it once."""
    if not rootfs.path.exists():
        with locks.exclusive(store() / "lock"):
            if not rootfs.path.exists():
                _build(rootfs, steps, lab_id)
    return rootfs.path


def _build(rootfs: Rootfs, steps: Steps, lab_id: str) -> None:
    if os.geteuid() != 0:
        raise RacewayError(
            f"image of {rootfs.name}", "is not made yet, and you are not root", act="run raceway lab up as root"
        )
    # Emptied first: a killed build leaves plain files there. What has its final name is whole.
    work = store() / "build"
    shutil.rmtree(work, ignore_errors=True)
    files.folder(work)
    try:
        half = work / "root.tar"
        call = debian.command(rootfs.suite, rootfs.packages, rootfs.hooks, str(half))
        title = f"{rootfs.name} image: Debian {rootfs.suite} (first time only, about 2 min)"
        debian.build(call, work, store() / f"{rootfs.name}.log", title, steps, lab_id)
        _flush(half)
        half.rename(rootfs.path)
        _prune(rootfs)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _flush(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _prune(newest: Rootfs) -> None:
    others = [path for path in store().glob(f"{newest.name}-????????????.tar") if path != newest.path]
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        path.unlink()

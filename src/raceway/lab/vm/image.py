"""The VM nodes' image: a Debian with a kernel, the RDMA and NVMe tools and the test module, named by its recipe's hash.

``build.sh`` makes it in mount and process namespaces of its own, so that a kill at any moment leaves neither mounts nor
processes; the finished folder gets its name by a rename, so a folder of that name is whole. Labs take hard links, so
that the cache may go at any time. It deliberately downloads no image: there is nothing to trust but Debian's own
signatures.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from raceway.errors import RacewayError
from raceway.paths import cache_dir

from .. import files, locks, processes
from ..progress import Steps

SUITE, SIZE = "trixie", "4G"
SOURCES = Path(__file__).parents[1] / "vm_image"
PARTS = ("root.img", "vmlinux", "initrd.img", "kver")
KEPT = 2  # images of other recipes that stay in the cache, for another checkout


def recipe() -> dict[str, str]:
    """The settings of the build. ``RACEWAY_LAB_MIRROR`` names another Debian mirror, for instance a snapshot."""
    return {"SUITE": SUITE, "SIZE": SIZE, "MIRROR": os.environ.get("RACEWAY_LAB_MIRROR", "")}


def key() -> str:
    """The image's name: a hash of its settings and of every file that goes in."""
    digest = hashlib.sha256()
    for name, value in recipe().items():
        digest.update(f"{name}={value}\0".encode())
    for path in sorted(path for path in SOURCES.rglob("*") if path.is_file()):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def store() -> Path:
    """Folder of all VM images of this user."""
    return cache_dir() / "vm-image"


def ensure(steps: Steps, lab_id: str = "") -> Path:
    """Return the image's folder; build it if it is not there. Two labs that need it at once build it once."""
    place = store() / key()
    if not place.exists():
        with locks.exclusive(store() / "lock"):
            if not place.exists():
                build(place, store() / "build", steps, lab_id)
                _prune(place)
    return place


def build(place: Path, work: Path, steps: Steps, lab_id: str) -> None:
    """Build in ``work`` (emptied first: a killed build leaves plain files there, never mounts), then rename."""
    if os.geteuid() != 0:
        raise RacewayError(
            "VM image", "is not built yet, and you are not root", act="run raceway lab prepare --vm as root"
        )
    shutil.rmtree(work, ignore_errors=True)
    out, log = files.folder(work / "out"), work.parent / "build.log"
    # `unshare --kill-child` ends everything inside when its parent goes.
    inner = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", str(SOURCES / "build.sh"), str(out)]
    environment = {**os.environ, **recipe(), "TMPDIR": str(work), processes.MARK: lab_id, "LC_ALL": "C.UTF-8"}
    try:
        with steps.step("VM image: Debian with a kernel and RDMA tools (first time only, about a minute)") as detail:
            with log.open("wb") as stream:
                code = processes.call(inner, environment, stream, lambda: detail(files.last_line(log)))
            missing = [part for part in PARTS if not (out / part).exists()]
            if code or missing:
                raise RacewayError(
                    "VM image",
                    f"build.sh ended with {code}: {files.last_line(log)}",
                    act="check that Debian's mirror is reachable (RACEWAY_LAB_MIRROR names another) and run again",
                    log=str(log),
                )
            # What the rename publishes must be whole after a power cut too.
            os.sync()
            out.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def link(place: Path, into: Path) -> None:
    """Give a lab the image at ``into``: hard links, or copies where the cache lies on another file system."""
    if into.exists():
        return
    half = into.with_name(f".{into.name}.new")
    shutil.rmtree(half, ignore_errors=True)
    files.folder(half)
    for part in PARTS:
        try:
            os.link(place / part, half / part)
        except OSError:
            subprocess.run(["cp", "--sparse=always", str(place / part), str(half / part)], check=True)
    half.rename(into)


def remove() -> int:
    """Remove the image of this recipe from the cache; say how many. Labs keep their own links."""
    place = store() / key()
    if not place.exists():
        return 0
    with locks.exclusive(store() / "lock", busy="the VM image"):
        shutil.rmtree(place)
    return 1


def sweep() -> None:
    """Remove what a killed build left in the cache; a build that is running is left alone."""
    if (store() / "build").exists():
        with contextlib.suppress(RacewayError), locks.exclusive(store() / "lock", busy="the VM image"):
            shutil.rmtree(store() / "build", ignore_errors=True)


def _prune(newest: Path) -> None:
    others = [path for path in store().iterdir() if (path / "root.img").exists() and path != newest]
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)

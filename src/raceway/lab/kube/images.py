"""Which images a lab's cluster needs, in which archives they come, and the archives themselves in the cache.

An archive's name holds a hash of everything that goes in (programs, root file systems, the code that writes it), so a
changed pin is another file and an unchanged one is made once. It appears whole or not at all. It deliberately uses the
names the real images have: kubeadm, Volcano's manifests and people's job files are used as they are.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from raceway.paths import cache_dir
from raceway.tools import module_dir

from .. import files, locks
from ..progress import Steps
from . import archive, rootfs
from .archive import Image
from .rootfs import Rootfs

KUBERNETES, PAUSE, COREDNS, VOLCANO = "v1.35.4", "3.10.1", "v1.13.1", "v1.15.1"
# The tag kubeadm 1.35 asks for (cmd/kubeadm/app/constants); the program behind it is the pinned etcd, of the same line.
ETCD_TAG = "3.6.6-0"
REGISTRY = "registry.k8s.io"
WORK_IMAGE, TORCH_IMAGE = "localhost/raceway/work:1", "localhost/raceway/torch:1"
DEVICES_IMAGE = "localhost/raceway/device-plugin:1"
VOLCANO_MODULE = "volcano.sh/volcano"
SECRET_SCRIPT = "installer/dockerfile/webhook-manager/gen-admission-secret.sh"
KEPT = 1  # archives of other recipes that stay in the cache, of each name, for another checkout


@dataclass(frozen=True)
class Part:
    """One image of an archive. ``programs``: place in the image → name of the tool (``volcano:…``: a script of it)."""

    tag: str
    entrypoint: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    base: Rootfs | None = None
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Archive:
    """Images that go to the same nodes, in one file. ``where``: every node, control_plane or worker."""

    name: str
    where: str
    parts: tuple[Part, ...]

    @property
    def tools(self) -> list[str]:
        """The programs it needs."""
        return sorted({tool for part in self.parts for _, tool in part.programs if not tool.startswith("volcano:")})


def _program(image: str, tag: str, tool: str, place: str = "/usr/local/bin", base: Rootfs | None = None) -> Part:
    path = f"{place.rstrip('/')}/{tool}"
    return Part(f"{image}:{tag}", (path,), ((path, tool),), base)


def _etcd() -> Part:
    # The real image holds etcd's tools too: a snapshot is restored with the one of the image.
    places = tuple((f"/usr/local/bin/{tool}", tool) for tool in ("etcd", "etcdutl"))
    return Part(f"{REGISTRY}/etcd:{ETCD_TAG}", ("/usr/local/bin/etcd",), places)


def _kubernetes(tool: str, base: Rootfs | None = None) -> Part:
    return _program(f"{REGISTRY}/{tool}", KUBERNETES, tool, base=base)


def _volcano(tool: str, *more: tuple[str, str], base: Rootfs | None = None) -> Part:
    # vc-controller-manager's image is called after the tool, as are the others.
    return Part(f"docker.io/volcanosh/{tool}:{VOLCANO}", (f"/{tool}",), ((f"/{tool}", tool), *more), base)


ARCHIVES = (
    Archive(
        "control-plane",
        "control_plane",
        (
            _etcd(),
            _kubernetes("kube-apiserver"),
            _kubernetes("kube-controller-manager"),
            _kubernetes("kube-scheduler"),
        ),
    ),
    Archive(
        "node",
        "every",
        (
            _program(f"{REGISTRY}/pause", PAUSE, "pause", "/"),
            _kubernetes("kube-proxy", rootfs.WORK),
            _program(f"{REGISTRY}/coredns/coredns", COREDNS, "coredns", "/"),
            _program(DEVICES_IMAGE.rpartition(":")[0], "1", "device-plugin", "/"),
            Part(WORK_IMAGE, base=rootfs.WORK, command=("/bin/bash",)),
        ),
    ),
    Archive(
        "volcano",
        "worker",
        (
            _volcano("vc-scheduler"),
            _volcano("vc-controller-manager"),
            _volcano(
                "vc-webhook-manager",
                ("/gen-admission-secret.sh", f"volcano:{SECRET_SCRIPT}"),
                ("/usr/local/bin/kubectl", "kubectl"),
                base=rootfs.WORK,
            ),
        ),
    ),
    Archive("torch", "worker", (Part(TORCH_IMAGE, base=rootfs.TORCH, command=("/bin/bash",)),)),
)


def tools() -> list[str]:
    """All programs the archives need."""
    return sorted({tool for each in ARCHIVES for tool in each.tools})


def store() -> Path:
    """Folder of all archives of this user."""
    return cache_dir() / "kube" / "images"


def key(one: Archive, programs: Mapping[str, Path]) -> str:
    """A hash of everything that decides about the archive's bytes; a tool's folder is named by its own recipe."""
    words = [repr(one), Path(archive.__file__).read_text(), inspect.getsource(_image), inspect.getsource(_script)]
    words += [f"{name}={programs[name].parent.name}" for name in one.tools]
    words += sorted({part.base.key for part in one.parts if part.base})
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def ensure(programs: Mapping[str, Path], steps: Steps, lab_id: str = "") -> dict[str, Path]:
    """Return archive name → file, making what is missing; ``programs``: tool → executable, all of ``tools()``."""
    made = {}
    for one in ARCHIVES:
        place = store() / f"{one.name}-{key(one, programs)}.tar"
        if not place.exists():
            with locks.exclusive(store() / "lock"):
                if not place.exists():
                    _make(one, place, programs, steps, lab_id)
                    _prune(one.name, place)
        made[one.name] = place
    return made


def _make(one: Archive, place: Path, programs: Mapping[str, Path], steps: Steps, lab_id: str) -> None:
    bases = {part.base: rootfs.ensure(part.base, steps, lab_id) for part in one.parts if part.base}
    # Emptied first: what a killed run left has no final name.
    work = store() / "build"
    shutil.rmtree(work, ignore_errors=True)
    files.folder(work)
    try:
        with steps.step(f"images: {one.name} ({len(one.parts)})"):
            images = [_image(part, programs, bases, work) for part in one.parts]
            half = work / "half.tar"
            with half.open("wb") as out:
                archive.write(out, images)
                out.flush()
                os.fsync(out.fileno())
            half.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _image(part: Part, programs: Mapping[str, Path], bases: Mapping[Rootfs, Path], work: Path) -> Image:
    laid = []
    for place, tool in part.programs:
        if tool.startswith("volcano:"):
            laid.append((place, _script(tool.partition(":")[2], work)))
        else:
            laid.append((place, programs[tool].resolve()))
    base = bases[part.base] if part.base else None
    return Image((part.tag,), base, tuple(laid), part.entrypoint, part.command)


def _script(name: str, work: Path) -> Path:
    """A script of Volcano's own image. It says sh and means bash ([[ ]]): Alpine's sh takes both, Debian's does not."""
    text = (module_dir(VOLCANO_MODULE) / name).read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    out = work / Path(name).name
    out.write_text(("#!/bin/bash" if first == "#!/bin/sh" else first) + f"\n{rest}", encoding="utf-8")
    out.chmod(0o755)
    return out


def sweep() -> None:
    """Remove what a killed run left in the cache; one that is at work is left alone."""
    for folder in (store(), rootfs.store()):
        if (folder / "build").exists():
            with locks.exclusive(folder / "lock"):
                shutil.rmtree(folder / "build", ignore_errors=True)


def _prune(name: str, newest: Path) -> None:
    others = [path for path in newest.parent.glob(f"{name}-????????????.tar") if path != newest]
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        path.unlink()

"""Images a node is to have: archives that are imported, names that are pulled, and names no cluster starts without.

It deliberately holds no credentials: a registry that asks for some is the runtime's business at a pod's start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

# distribution/reference: a registry (a dot, a port, or localhost tells it from a path), a path, a tag or digest.
_REGISTRY = r"(?:localhost|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+|[a-zA-Z0-9-]+(?=:\d))(?::\d+)?"
_PATH = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = re.compile(rf"(?P<registry>{_REGISTRY})/{_PATH}(?:/{_PATH})*(?::[\w][\w.-]{{0,127}}|@sha256:[a-f0-9]{{64}})")
REGISTRY = re.compile(_REGISTRY)
REPOSITORY = re.compile(rf"{_REGISTRY}(?:/{_PATH})*")


@dataclass(frozen=True)
class KubeImagesDesired:
    """What the ``kube_images`` noun is given. ``pulls``: names to be pulled; ``needed``: names no pod starts without.

    ``root``: containerd's, where contents are looked up; ``present`` false: images go with the runtime, not here.
    """

    present: bool = False
    archives: Tuple[str, ...] = ()
    pulls: Tuple[str, ...] = ()
    needed: Tuple[str, ...] = ()
    root: str = "/var/lib/containerd"
    snapshotter: str = "overlayfs"
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> KubeImagesDesired:
    """Read the JSON form: the names of KubeImagesDesired's fields; each may be left out."""
    lists: Dict[str, Any] = {name: tuple(dict.fromkeys(spec.get(name, ()))) for name in ("archives", "pulls", "needed")}
    plain = {name: spec[name] for name in ("present", "root", "snapshotter", "platform") if name in spec}
    return KubeImagesDesired(**lists, **plain)


def bad_name(name: str) -> str:
    """Return why a text is no full image name, or the empty string.

    >>> bad_name("registry.k8s.io/pause:3.10.1"), bad_name("pause")
    ('', 'no full name: registry, path, and a tag or digest')
    """
    return "" if _NAME.fullmatch(name) else "no full name: registry, path, and a tag or digest"

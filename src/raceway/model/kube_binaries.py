"""The programs of a Kubernetes node as declared: packages at a version, or files known by their SHA-256.

One noun for kubeadm, kubelet and kubectl and for those of the container runtime: what a newer one means for a node that
is part of a cluster is judged here. It deliberately configures nothing: that is the containerd and kubelet nouns'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple

KUBELET = "kubelet"
KUBE_NAMES = ("kubeadm", KUBELET, "kubectl", "crictl")
CONTAINERD_NAMES = ("containerd", "containerd-shim-runc-v2", "ctr", "runc")
# What has to be started anew before a replaced program is the one that runs. Shims and runc are started a container.
UNITS: Dict[str, str] = {KUBELET: "kubelet.service", "containerd": "containerd.service"}
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:[-+~].*)?")
Version = Tuple[int, int, int]


@dataclass(frozen=True)
class Program:
    """One program by its sum: ``origin`` is the file or address it comes from, ``path`` where it goes."""

    name: str
    sha256: str
    origin: str
    path: str

    @property
    def local(self) -> bool:
        """True where it comes from a file of the node."""
        return self.origin.startswith("/")


@dataclass(frozen=True)
class Pin:
    """One package that must be installed in a version; 1.35.4 is met by 1.35.4-1.1. Empty: any version."""

    name: str
    version: str = ""

    def met(self, found: str) -> bool:
        """Tell whether an installed version is the pinned one.

        >>> Pin("kubelet", "1.35.4").met("1.35.4-1.1"), Pin("kubelet", "1.35.4").met("1.35.41-1.1")
        (True, False)
        """
        if not self.version:
            return bool(found)
        return found == self.version or found.startswith(tuple(f"{self.version}{mark}" for mark in "-+~"))


@dataclass(frozen=True)
class KubeBinariesDesired:
    """What the ``kube_binaries`` noun is given. ``version``: of Kubernetes, empty where the role is absent.

    ``repository`` and its armoured ``key``: where the pinned packages come from; empty where the node knows.
    """

    version: str = ""
    programs: Tuple[Program, ...] = ()
    pins: Tuple[Pin, ...] = ()
    repository: str = ""
    key: str = ""
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> KubeBinariesDesired:
    """Read the fields by name; programs are ``{"name", "sha256", "from", "folder"}``, packages name and version."""
    return KubeBinariesDesired(
        version=str(spec.get("version", "")),
        programs=tuple(_program(row) for row in spec.get("programs", ())),
        pins=tuple(Pin(row["name"], str(row.get("version", ""))) for row in spec.get("packages", ())),
        repository=spec.get("repository", ""),
        key=spec.get("key", ""),
        platform=spec.get("platform", "bare_metal"),
    )


def _program(row: Mapping[str, Any]) -> Program:
    name = row["name"]
    return Program(
        name, row["sha256"].lower(), f"{row['from'].rstrip('/')}/{name}", f"{row['folder'].rstrip('/')}/{name}"
    )


def version_of(text: str) -> Optional[Version]:
    """Return a version as numbers, a package's revision left out; None for a text that is none.

    >>> version_of("1.35.4"), version_of("v1.36.0-rc.1"), version_of("1.35.4-1.1"), version_of("stable")
    ((1, 35, 4), (1, 36, 0), (1, 35, 4), None)
    """
    found = _VERSION.fullmatch(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None

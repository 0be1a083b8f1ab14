"""Which programs of Kubernetes a node has, in which version, and how far its cluster is.

``kubelet --version`` prints one line, and kubeadm writes the API server's version into its static pod::

    Kubernetes v1.35.4
    image: registry.k8s.io/kube-apiserver:v1.35.4

It deliberately asks no API server: what a node may run must be known while the control plane is down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Tuple

_IMAGE = re.compile(r"^\s*image:\s*\"?\S+/kube-apiserver:(v[\w.+-]+)\"?\s*$", re.MULTILINE)
_KUBELET = re.compile(r"^Kubernetes (v[\w.+-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class KubeBinariesFacts:
    """``sums``: path → SHA-256 (empty: not there). ``offered``: name → SHA-256 of a local file to be installed.

    ``versions``: package → installed version, ``manager``: apt, dnf, zypper or empty. ``kubelet``: version of the
    program that is there. ``member``: the node is part of a cluster; ``api``: version of its own API server, empty on
    a worker. ``running``: units that run. ``owned``: paths, ``packages``: names that raceway has put there.
    """

    sums: Mapping[str, str] = field(default_factory=dict)
    offered: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    manager: str = ""
    kubelet: str = ""
    member: bool = False
    api: str = ""
    running: Tuple[str, ...] = ()
    owned: Mapping[str, Any] = field(default_factory=dict)
    packages: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    owned_files: Tuple[str, ...] = ()


def parse_kubelet_version(text: str) -> str:
    """Return the version, empty for any other output.

    >>> parse_kubelet_version("Kubernetes v1.35.4\\n"), parse_kubelet_version("command not found")
    ('v1.35.4', '')
    """
    found = _KUBELET.search(text)
    return found[1] if found else ""


def parse_api_version(manifest: str) -> str:
    """Return the version of the static pod's image, empty where there is none.

    >>> parse_api_version("    image: registry.k8s.io/kube-apiserver:v1.35.3\\n")
    'v1.35.3'
    """
    found = _IMAGE.search(manifest)
    return found[1] if found else ""

"""The container runtime of a node as it is: files, service, version, and where its data lies.

``containerd --version`` prints one line; its configuration is searched for the two settings that pods depend on::

    containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1
    root = "/var/lib/containerd"
    SystemdCgroup = true
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

from .kube_service import ServiceFacts

_VERSION = re.compile(r"^containerd \S+ v?(\d+)\.(\d+)", re.MULTILINE)
_ROOT = re.compile(r"^root\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_SYSTEMD = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)", re.MULTILINE)


@dataclass(frozen=True)
class ContainerdFacts:
    """``files``: path → text; ``owned``: paths raceway has written. ``containers``: ids of those that run.

    ``version``: (major, minor), None where containerd is not there. ``filesystem``: type of the one below the root.
    ``programs``: absolute paths of declared runtimes that are there. ``memlock``: soft limit of the running process in
    bytes or "unlimited", empty where none runs. ``images``: names that raceway brought, ``folders``: those containerd
    has made since, innermost first; both from the ledger. ``unmounted``: declared mount points without a mount.
    """

    service: ServiceFacts = field(default_factory=ServiceFacts)
    files: Mapping[str, str] = field(default_factory=dict)
    owned: Tuple[str, ...] = ()
    containers: Tuple[str, ...] = ()
    version: Optional[Tuple[int, int]] = None
    filesystem: str = ""
    programs: Tuple[str, ...] = ()
    memlock: str = ""
    images: Tuple[str, ...] = ()
    folders: Tuple[str, ...] = ()
    unmounted: Tuple[str, ...] = ()


def parse_version(text: str) -> Optional[Tuple[int, int]]:
    """Return major and minor version, None for any other output.

    >>> parse_version("containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b7\\n")
    (2, 1)
    """
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2])) if found else None


def parse_root(config: str) -> str:
    """Return where a configuration puts the data, empty where it does not say."""
    found = _ROOT.search(config)
    return found[1] if found else ""


def parse_systemd_cgroup(config: str) -> Optional[bool]:
    """Return whether systemd makes the cgroups of pods by a configuration; None where it does not say.

    >>> parse_systemd_cgroup("  SystemdCgroup = true\\n"), parse_systemd_cgroup("")
    (True, None)
    """
    found = _SYSTEMD.search(config)
    return found[1] == "true" if found else None

"""The container runtime as declared: where its data lies, which runtimes and mirrors it knows, what it waits for.

It deliberately writes configuration version 2 for every containerd: 1.6 and 1.7 know no newer one, 2.x converts it at
each start (containerd's config document), and one text means that check mode knows it before containerd is installed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Tuple

UNIT = "containerd.service"
CONFIG = "/etc/containerd/config.toml"
CERTS = "/etc/containerd/certs.d"
CRICTL = "/etc/crictl.yaml"
UNIT_FILE = f"/etc/systemd/system/{UNIT}"
DROP_IN = f"/etc/systemd/system/{UNIT}.d/20-raceway.conf"
SOCKET = "unix:///run/containerd/containerd.sock"
# Made by containerd at its start where they are not there, innermost first.
MADE = ("/etc/cni/net.d", "/etc/cni")
RUNC = "runc"
SYSTEMD, CGROUPFS = "systemd", "cgroupfs"


@dataclass(frozen=True)
class Runtime:
    """A runtime beside runc. ``options``: further ones by the names of containerd's configuration."""

    name: str
    binary: str
    default: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mirror:
    """One place where images of a registry are looked for. ``ca``: a file on the node, empty for the system's."""

    address: str
    ca: str = ""
    skip_verify: bool = False


@dataclass(frozen=True)
class ContainerdDesired:
    """What the ``containerd`` noun is given. ``present`` false: what was written is given back.

    ``mirrors``: registry → places in the order they are asked. ``mounts``: mount points the data lies below.
    ``unit``: content of the unit file where containerd comes without one. ``kubernetes``: version, for what it needs.
    """

    present: bool = False
    root: str = "/var/lib/containerd"
    snapshotter: str = "overlayfs"
    sandbox_image: str = ""
    cgroup_driver: str = SYSTEMD
    cdi: bool = True
    restrict_oom_score_adj: bool = False
    memlock: bool = True
    cni_folder: str = "/opt/cni/bin"
    runtimes: Tuple[Runtime, ...] = ()
    mirrors: Mapping[str, Tuple[Mirror, ...]] = field(default_factory=dict)
    mounts: Tuple[str, ...] = ()
    unit: str = ""
    kubernetes: str = ""
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> ContainerdDesired:
    """Read the JSON form: the names of ContainerdDesired's fields; each may be left out."""
    plain = (
        *("present", "root", "snapshotter", "sandbox_image", "cgroup_driver", "cdi", "restrict_oom_score_adj"),
        *("memlock", "cni_folder", "unit", "kubernetes", "platform"),
    )
    given = {name: spec[name] for name in plain if name in spec}
    runtimes = tuple(
        Runtime(row["name"], row["binary"], bool(row.get("default")), row.get("options") or {})
        for row in spec.get("runtimes", ())
    )
    mirrors = {
        registry: tuple(Mirror(row["address"], row.get("ca") or "", bool(row.get("skip_verify"))) for row in rows)
        for registry, rows in spec.get("mirrors", {}).items()
    }
    return ContainerdDesired(runtimes=runtimes, mirrors=mirrors, mounts=tuple(spec.get("mounts", ())), **given)


def hosts_file(registry: str) -> str:
    """Return where containerd reads a registry's mirrors.

    >>> hosts_file("docker.io")
    '/etc/containerd/certs.d/docker.io/hosts.toml'
    """
    return f"{CERTS}/{registry}/hosts.toml"

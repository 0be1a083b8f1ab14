"""Mounts as declared, and the names systemd gives them.

A disk is named by what it holds (UUID, label) or by what it is (its id), never by the place the kernel found it in:
/dev/md0 comes back as md127, /dev/nvme0n1 as nvme1n1. It deliberately speaks of mount units, not of /etc/fstab:
a unit is one file of our own, and a line in a shared file is not.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

from .mount_options import is_bind

UNIT_FOLDER = "/etc/systemd/system/"
TAGS = {"UUID": "by-uuid", "LABEL": "by-label", "PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel"}
# Links below /dev/disk that follow the disk wherever it is plugged in; by-path follows the slot.
_LASTING = re.compile(r"/dev/disk/by-(id|uuid|label|partuuid|partlabel)/[^/]+|/dev/mapper/[^/]+")
_VOLUME = re.compile(r"/dev/(?!disk/|mapper/|md/|block/|char/)[^/]+/[^/]+")  # /dev/GROUP/VOLUME of LVM
NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "glusterfs", "beegfs", "9p", "wekafs", "gpfs"})
# File systems without a device: the source is a name that nobody reads.
NO_DEVICE = frozenset({"tmpfs", "ramfs", "hugetlbfs", "bpf", "debugfs", "tracefs", "configfs", "efivarfs", "mqueue"})
# Folders the system itself lives in: a mount there hides it, or is made before raceway can run.
SYSTEM = frozenset(
    {
        *("/", "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr"),
        *("/var", "/var/lib"),
    }
)


@dataclass(frozen=True)
class Mount:
    """One declared mount; ``options`` in the order they were written."""

    path: str
    source: str
    fstype: str
    options: Tuple[str, ...] = ()
    why: str = ""

    @property
    def unit(self) -> str:
        """The unit's name, which systemd derives from the path and from nothing else."""
        return escape(self.path) + ".mount"

    @property
    def bind(self) -> bool:
        """True for a folder shown at a second place."""
        return is_bind(self.fstype, self.options)

    @property
    def local_disk(self) -> bool:
        """True where the source is a block device of this machine."""
        return not self.bind and (self.source.startswith("/dev/") or self.source.split("=", 1)[0] in TAGS)

    @property
    def target(self) -> str:
        """The target that wants the mount at boot."""
        return "remote-fs.target" if self.fstype in NETWORK or "_netdev" in self.options else "local-fs.target"


@dataclass(frozen=True)
class MountDesired:
    """What the ``mount`` noun is given."""

    mounts: Tuple[Mount, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> MountDesired:
    """Read the JSON form: ``{"mounts": [{"path", "source", "fstype", "options", "why"}], "platform"}``."""
    mounts = tuple(
        Mount(
            path=row["path"],
            source=row["source"],
            fstype=row["fstype"],
            options=tuple(part.strip() for part in (row.get("options") or "").split(",") if part.strip()),
            why=row.get("why") or "",
        )
        for row in spec.get("mounts", ())
    )
    return MountDesired(mounts, spec.get("platform", MountDesired().platform))


def escape(path: str) -> str:
    r"""Return a path as part of a unit's name, as ``systemd-escape --path`` does (systemd.unit(5)).

    >>> escape("/mnt/nvme-0/"), escape("/"), escape("/.hidden")
    ('mnt-nvme\\x2d0', '-', '\\x2ehidden')
    """
    parts = [part for part in path.split("/") if part]
    if not parts:
        return "-"
    text = ""
    for number, byte in enumerate("/".join(parts).encode("utf-8", "surrogateescape")):
        char = chr(byte)
        plain = byte < 128 and (char.isalnum() or char in ":_" or (char == "." and number > 0))
        text += "-" if char == "/" else char if plain else f"\\x{byte:02x}"
    return text


def device_link(source: str) -> str:
    r"""Return the device path of a source: ``LABEL=a b`` is the link ``/dev/disk/by-label/a\x20b`` that udev makes."""
    tag, _, value = source.partition("=")
    if tag not in TAGS or source.startswith("/"):
        return source
    value = value.strip('"')
    encoded = "".join(c if c.isalnum() or c in "#+-.:=@_" or ord(c) > 127 else f"\\x{ord(c):02x}" for c in value)
    return f"/dev/disk/{TAGS[tag]}/{encoded}"


def unstable(source: str) -> Optional[str]:
    """Return why a disk cannot be named like this, or None."""
    if not source.startswith("/dev/") or _LASTING.fullmatch(source) or _VOLUME.fullmatch(source):
        return None
    if source.startswith(("/dev/md", "/dev/md/")):
        return f"{source} is a name of the moment: after a reboot the array may be md127 or carry the host's name"
    if source.startswith("/dev/disk/by-path/"):
        return f"{source} names the slot, not the disk in it"
    return f"{source} is a name of the moment: the kernel numbers disks in the order it finds them"


def bad_path(path: str) -> Optional[str]:
    """Return why nothing can be mounted at a path, or None."""
    if not path.startswith("/"):
        return "the path is relative"
    if posixpath.normpath(path) != path or "\n" in path or "\0" in path:
        return "the path is not plain ('..', '.', an empty part, a line break or a slash at its end)"
    if path in SYSTEM or path.startswith(("/proc/", "/sys/", "/etc/", "/usr/", "/boot/")):
        return "the system itself lives there"
    return None

"""Which parts of which RDMA stack are installed, and whether the running driver is the vendor's.

Versions come from dpkg's or rpm's own record; the vendor's driver shows one below ``/sys/module`` and the kernel's own
does not::

    /sys/module/mlx5_core/version    25.07-0.9.7
    /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c    06 00 00 00 01

It deliberately knows the vendor's packages by name: a module file does not tell which repository it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

# One source package builds them all; two versions of it in one process do not fit (azhpc-images, EL9 and DOCA 2.10).
COMMON: Mapping[str, Tuple[str, ...]] = {
    "apt": ("rdma-core", "libibverbs1", "librdmacm1"),
    "dnf": ("rdma-core", "libibverbs", "librdmacm"),
    "zypper": ("rdma-core", "libibverbs1", "librdmacm1"),
}
VENDOR = (
    *("doca-ofed", "doca-all", "doca-networking", "doca-roce", "ofed-scripts"),
    *("mlnx-ofed-kernel-dkms", "mlnx-ofed-kernel-modules", "mlnx-ofa_kernel", "kmod-mlnx-ofa_kernel"),
)
# What DOCA-Host is published for (its support matrix of 2026); Debian is not in it.
SUPPORTED = ("ubuntu", "rhel", "rocky", "almalinux", "centos", "ol")


@dataclass(frozen=True)
class RdmaStackFacts:
    """``versions``: package → version; ``files``: path → text of those that may be ours; ``owned_files``: ours.

    ``driver``: version of a loaded vendor's mlx5_core, empty for the kernel's own, None where none is loaded.
    ``secure_boot``: None where the firmware does not say.
    """

    manager: str = ""
    distribution: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Optional[str]] = field(default_factory=dict)
    owned_files: Mapping[str, object] = field(default_factory=dict)
    driver: Optional[str] = None
    secure_boot: Optional[bool] = None


def parse_secure_boot(text: Optional[str]) -> Optional[bool]:
    """Return what the variable's fifth byte says: four bytes of attributes come first.

    >>> parse_secure_boot("\\x06\\x00\\x00\\x00\\x01"), parse_secure_boot("\\x06\\x00"), parse_secure_boot(None)
    (True, None, None)
    """
    return text[4] == "\x01" if text and len(text) >= 5 else None


def meets(found: str, pin: str) -> bool:
    """Tell whether a package has the pinned version; a pin may leave out the package's revision and epoch.

    >>> meets("3.2.1-044000", "3.2.1"), meets("1:3.2.1-1", "3.2.1"), meets("3.2.10-1", "3.2.1")
    (True, True, False)
    """
    bare = found.partition(":")[2] if ":" in found else found
    return any(one == pin or one.startswith((f"{pin}-", f"{pin}+", f"{pin}~")) for one in (found, bare))

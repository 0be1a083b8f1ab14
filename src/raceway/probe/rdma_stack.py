"""Reads the package record, the repository's files, the loaded driver's version and Secure Boot."""

from __future__ import annotations

from typing import Dict, Sequence

from ..facts.module import distribution
from ..facts.nccl import parse_versions_dpkg, parse_versions_rpm
from ..facts.package import APT
from ..facts.rdma_stack import COMMON, VENDOR, RdmaStackFacts, parse_secure_boot
from ..host import Host, Ledger
from ..model.rdma_stack import RdmaStackDesired
from ..plan.dropin import BOOK
from ..plan.rdma_stack import FILES
from .package import DPKG_STATUS, find_manager

DRIVER = "/sys/module/mlx5_core"
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
RPM_FORMAT = "%{NAME} %{VERSION}-%{RELEASE}\\n"


def probe(host: Host, desired: RdmaStackDesired, ledger: Ledger) -> RdmaStackFacts:
    """Return the facts the rdma_stack planner compares with ``desired``."""
    owned = {path: row for path, row in ledger.owned(BOOK).items() if path in FILES}
    files = {path: host.read(path) for path in FILES}
    if not desired.stack:
        return RdmaStackFacts(files=files, owned_files=owned)
    manager = find_manager(host)
    names = [*COMMON.get(manager, ()), *VENDOR, *desired.packages]
    loaded = (host.read(f"{DRIVER}/version") or "").strip() if host.exists(f"{DRIVER}/initstate") else None
    return RdmaStackFacts(
        manager=manager,
        distribution=distribution(host.read("/etc/os-release") or ""),
        versions=versions(host, manager, names),
        files=files,
        owned_files=owned,
        driver=loaded,
        secure_boot=parse_secure_boot(host.read(SECURE_BOOT)),
    )


def versions(host: Host, manager: str, names: Sequence[str]) -> Dict[str, str]:
    """Return name → version of what is installed."""
    if manager == APT:
        return parse_versions_dpkg(host.read(DPKG_STATUS) or "", names)
    return parse_versions_rpm(host.run(["rpm", "-q", "--qf", RPM_FORMAT, *names]).out) if manager else {}

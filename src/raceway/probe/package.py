"""Reads which declared packages are installed: dpkg's own file where there is one, else one question to rpm."""

from __future__ import annotations

from typing import Dict

from ..facts.package import APT, DNF, ZYPPER, PackageFacts, parse_dpkg, parse_rpm
from ..host import Host, Ledger
from ..model.package import PackageDesired, bad_name

DPKG_STATUS = "/var/lib/dpkg/status"
RPM_MANAGERS = ((DNF, "/usr/bin/dnf"), (ZYPPER, "/usr/bin/zypper"))


def probe(host: Host, desired: PackageDesired, ledger: Ledger) -> PackageFacts:
    """Return the manager and what is installed of the declared names and of what raceway installed earlier."""
    owned = ledger.owned("package")
    names = [p.name for p in desired.packages if not bad_name(p.name)]
    names += [name for name in owned if name not in names]
    if not names:
        return PackageFacts()
    manager = find_manager(host)
    return PackageFacts(manager, installed(host, manager, names), owned)


def find_manager(host: Host) -> str:
    """Return apt, dnf or zypper, or the empty string."""
    if host.exists(DPKG_STATUS):
        return APT
    return next((name for name, path in RPM_MANAGERS if host.exists(path)), "")


def installed(host: Host, manager: str, names: list[str]) -> Dict[str, str]:
    """Return name → installed package for those of ``names`` that are installed."""
    if manager == APT:
        return parse_dpkg(host.read(DPKG_STATUS) or "", names)
    if not manager:
        return {}
    # rpm keeps a database, no text: asking it is the only reading there is. Its status is the number of absent ones.
    return parse_rpm(host.run(["rpm", "-q", "--qf", "%{NAME}\\n", *names]).out, names)

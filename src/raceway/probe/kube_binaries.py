"""Reads sums of declared programs, versions of declared packages, and what the node is in its cluster.

A kubelet's version is asked of the program itself only where another one is to be installed: starting it costs more
than reading all sums. It deliberately reads no source that lies on a server: a download is judged when it has come.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Tuple

from ..facts.kube_binaries import KubeBinariesFacts, parse_api_version, parse_kubelet_version
from ..facts.nccl import parse_versions_dpkg, parse_versions_rpm
from ..facts.package import APT
from ..host import Host, Ledger
from ..host.programs import known_sum, sum_of
from ..model.kube_binaries import KUBELET, UNITS, KubeBinariesDesired, Program
from ..plan.dropin import BOOK
from ..plan.kube_repository import FILES
from .package import DPKG_STATUS, find_manager
from .unit import show

PROGRAM_BOOK, PACKAGE_BOOK = "kube_program", "kube_package"
MEMBER = "/etc/kubernetes/kubelet.conf"
API_SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml"


def probe(host: Host, desired: KubeBinariesDesired, ledger: Ledger) -> KubeBinariesFacts:
    """Return the facts the planner compares with ``desired``."""
    owned, packages = ledger.owned(PROGRAM_BOOK), ledger.owned(PACKAGE_BOOK)
    files = {path: text for path in FILES for text in [host.read(path)] if text is not None}
    owned_files = tuple(path for path in ledger.owned(BOOK) if path in FILES)
    names = [pin.name for pin in desired.pins]
    if not (desired.programs or names or owned or packages or owned_files):
        return KubeBinariesFacts()
    manager = find_manager(host)
    versions = package_versions(host, manager, list(dict.fromkeys([*names, *packages])))
    sums = {path: known_sum(host, path) for path in [*(one.path for one in desired.programs), *owned]}
    member = host.exists(MEMBER)
    return KubeBinariesFacts(
        sums=sums,
        offered=_offered(host, desired.programs, sums),
        versions=versions,
        manager=manager,
        kubelet=_kubelet(host, desired, sums, versions) if member else "",
        member=member,
        api=parse_api_version(host.read(API_SERVER) or "") if member else "",
        running=_running(host, desired, sums, versions),
        owned=owned,
        packages=packages,
        files=files,
        owned_files=owned_files,
    )


def _offered(host: Host, programs: Tuple[Program, ...], sums: Mapping[str, str]) -> Dict[str, str]:
    # A source is read only where its program is to be installed: a second converge reads no source at all.
    return {one.name: sum_of(host, one.origin) for one in programs if one.local and sums[one.path] != one.sha256}


def package_versions(host: Host, manager: str, names: List[str]) -> Dict[str, str]:
    """Return name → version of those that are installed."""
    if not names:
        return {}
    if manager == APT:
        return parse_versions_dpkg(host.read(DPKG_STATUS) or "", names)
    done = host.run(["rpm", "-q", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\\n", *names])
    return {name: version for name, version in parse_versions_rpm(done.out).items() if name in names}


def changing(desired: KubeBinariesDesired, sums: Mapping[str, str], versions: Mapping[str, str]) -> List[str]:
    """Return the names of programs and packages that are not as declared."""
    rows = [one.name for one in desired.programs if sums[one.path] != one.sha256]
    return rows + [pin.name for pin in desired.pins if not pin.met(versions.get(pin.name, ""))]


def _kubelet(host: Host, desired: KubeBinariesDesired, sums: Mapping[str, str], versions: Mapping[str, str]) -> str:
    if KUBELET not in changing(desired, sums, versions):
        return ""
    if KUBELET in versions:
        return versions[KUBELET]
    paths = [one.path for one in desired.programs if one.name == KUBELET and sums[one.path]] or [KUBELET]
    return parse_kubelet_version(host.run([paths[0], "--version"]).out)


def _running(
    host: Host, desired: KubeBinariesDesired, sums: Mapping[str, str], versions: Mapping[str, str]
) -> Tuple[str, ...]:
    names = [UNITS[name] for name in changing(desired, sums, versions) if name in UNITS]
    states, _ = show(host, names)
    return tuple(name for name in names if name in states and states[name].running)

"""Plans where the RDMA stack comes from: DOCA's repository at one version, or nothing but the distribution's own.

Two stacks are never mixed: a vendor's under an inbox declaration, libraries of two versions, another version than the
pinned one are refused with the command that mends them. It deliberately removes no package and loads no driver anew:
the first breaks what was built on it, the second drops every port of the card; a boot does it safely.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Union

from ..facts.package import APT, DNF
from ..facts.rdma_stack import COMMON, SUPPORTED, VENDOR, RdmaStackFacts, meets
from ..model.plan import SAFE, Noop, Plan, Reboot, Refusal, Step, join, sort
from ..model.rdma_stack import DOCA, INBOX, RdmaStackDesired
from .dropin import plan_file, render

TARGET = "rdma stack"
APT_SOURCE = "/etc/apt/sources.list.d/raceway-doca.sources"
APT_PIN = "/etc/apt/preferences.d/raceway-doca.pref"
DNF_REPO = "/etc/yum.repos.d/raceway-doca.repo"
DNF_KEY = "/etc/pki/rpm-gpg/RPM-GPG-KEY-raceway-doca"
FILES = (APT_SOURCE, APT_PIN, DNF_REPO, DNF_KEY)
INSTALL = {"apt": "apt-get install {}={}*", "dnf": "dnf install {}-{}"}
WHY = "the declared stack is the vendor's, at one version on every node"
_Outcome = Union[Step, Noop, Refusal, Reboot]


def plan(desired: RdmaStackDesired, facts: RdmaStackFacts) -> Plan:
    """Return the plan of the repository's files, and what speaks against the stack."""
    if desired.stack != DOCA:
        rows: List[_Outcome] = [*_foreign(facts), *_mixed(facts)] if desired.stack == INBOX else []
        if desired.stack == INBOX and not rows:
            rows.append(Noop(TARGET, "the distribution's own"))
        return join([_files({}, facts), sort(rows)])
    refusal = _unsupported(facts)
    if refusal:
        return join([_files({}, facts), sort([refusal])])
    files = _files(texts(desired, facts.manager), facts)
    index = [_index()] if facts.manager == APT and files.steps else []
    told = [*index, *_mixed(facts), *(_pinned(name, desired, facts) for name in desired.packages)]
    return join([files, sort([*told, *_driver(desired, facts), *_secure(facts)])])


def texts(desired: RdmaStackDesired, manager: str) -> Dict[str, str]:
    """Return path → text of the repository's files, its key and the pin."""
    if manager == DNF:
        lines = ["[raceway-doca]", "name=DOCA-Host (raceway)", f"baseurl={desired.repository}", "enabled=1"]
        return {DNF_REPO: render("rdma", [*lines, "gpgcheck=1", f"gpgkey=file://{DNF_KEY}"]), DNF_KEY: desired.key}
    # An inline key: every line indented, and a dot where one is empty (sources.list(5), apt 2.3.10 and newer).
    key = [f" {line}" if line.strip() else " ." for line in desired.key.strip().splitlines()]
    source = ["Types: deb", f"URIs: {desired.repository}", "Suites: ./", "Signed-By:", *key]
    pin = [f"Package: {' '.join(desired.packages)}", f"Pin: version {desired.version}*", "Pin-Priority: 1001", ""]
    # The repository brings a dkms of its own, older than the distribution's (azhpc-images).
    host = desired.repository.split("://", 1)[-1].split("/", 1)[0]
    pin += ["Package: dkms", f'Pin: origin "{host}"', "Pin-Priority: -1"]
    return {APT_SOURCE: render("rdma", source), APT_PIN: render("rdma", pin)}


def _files(wanted: Mapping[str, str], facts: RdmaStackFacts) -> Plan:
    rows = [path for path in FILES if path in wanted or path in facts.owned_files]
    return join([plan_file(path, wanted.get(path, ""), facts.files.get(path), WHY) for path in rows])


def _index() -> Step:
    why = "the new repository's packages are not known before"
    return Step("rdma_stack", TARGET, "read the package index anew", why, SAFE, "nothing to undo")


def _unsupported(facts: RdmaStackFacts) -> Union[Refusal, None]:
    if facts.distribution in SUPPORTED and facts.manager in (APT, DNF):
        return None
    there = facts.distribution or "an unknown distribution"
    act = "set rdma_stack: inbox, the distribution's own stack"
    return Refusal(TARGET, f"DOCA is published for {', '.join(SUPPORTED)}, this is {there}", act)


def _foreign(facts: RdmaStackFacts) -> List[_Outcome]:
    there = [f"{name} {facts.versions[name]}" for name in VENDOR if name in facts.versions]
    if not there:
        return []
    act = "remove it whole (ofed_uninstall.sh --force, then its packages), or declare rdma_stack: doca"
    return [Refusal(TARGET, f"inbox is declared, the vendor's stack is installed: {', '.join(there)}", act)]


def _mixed(facts: RdmaStackFacts) -> List[_Outcome]:
    found = {name: facts.versions[name] for name in COMMON.get(facts.manager, ()) if name in facts.versions}
    if len(set(found.values())) < 2:
        return []
    told = ", ".join(f"{name} {version}" for name, version in found.items())
    act = "install all of them from one repository; exclude them in the other"
    return [Refusal(TARGET, f"libraries of two stacks are mixed: {told}", act)]


def _pinned(name: str, desired: RdmaStackDesired, facts: RdmaStackFacts) -> _Outcome:
    found = facts.versions.get(name, "")
    if not found:
        return Noop(name, f"is not installed yet: {desired.version} is checked once it is")
    if meets(found, desired.version):
        return Noop(name, f"{found} is installed, as pinned")
    act = INSTALL[facts.manager].format(name, desired.version)
    reason = f"{found} is installed, {desired.version} is pinned"
    return Refusal(name, reason, f"{act} and reboot, or correct rdma_doca_version")


def _driver(desired: RdmaStackDesired, facts: RdmaStackFacts) -> List[_Outcome]:
    if facts.driver is None or facts.driver or not any(name in facts.versions for name in desired.packages):
        return []
    # Loading it anew drops every port of the card, the management one too (network-operator#2258).
    return [Reboot("mlx5_core", "the running driver is the kernel's own; DOCA's comes with the next boot")]


def _secure(facts: RdmaStackFacts) -> List[_Outcome]:
    if not facts.secure_boot:
        return []
    hint = "enrol the key that dkms signs with (mokutil --import), or the boot comes up without the driver"
    return [Noop("secure boot", f"is on, and DOCA builds its modules on the node: {hint}")]

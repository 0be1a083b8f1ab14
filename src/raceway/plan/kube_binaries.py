"""Plans the programs of a node: packages at their version, files by their sum, and what a newer kubelet waits for.

A kubelet is never newer than the API servers it talks to, moves one minor version at a time and never back: the rules
are those of https://kubernetes.io/releases/version-skew-policy/. It deliberately drains nothing: on a node that is part
of a cluster a kubelet is replaced with consent, and the upgrade playbook drains before it gives that.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from ..facts.kube_binaries import KubeBinariesFacts
from ..model.kube_binaries import KUBELET, UNITS, KubeBinariesDesired, Pin, Program, version_of
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, join, sort
from .dropin import plan_file
from .kube_repository import FILES, WHY, texts

TARGET = "kubernetes packages"
UPGRADE = "ansible-playbook playbooks/upgrade.yml --tags kubernetes, which drains the node first"
Outcome = Union[Step, Noop, Refusal]


def plan(desired: KubeBinariesDesired, facts: KubeBinariesFacts) -> Plan:
    """Return what makes every program the declared one, and gives back what is no longer declared."""
    rows: List[Outcome] = []
    missing: List[Pin] = []
    for pin in desired.pins:
        found = facts.versions.get(pin.name, "")
        if pin.met(found):
            rows.append(Noop(pin.name, f"{found} is installed, as declared"))
        elif pin.name in UNITS:
            rows.append(_kubelet(pin.name, desired, facts) or _package_step([pin], facts))
        else:
            missing.append(pin)
    if missing:
        rows.append(_package_step(missing, facts))
    for program in desired.programs:
        rows.append(_program(program, desired, facts))
    declared = {program.path for program in desired.programs}
    rows += [_give_back(path, facts) for path in sorted(facts.owned) if path not in declared]
    kept = {pin.name for pin in desired.pins}
    stays = "raceway installed it and nothing declares it now; it stays, others may have come to need it"
    rows += [Noop(name, stays) for name in sorted(facts.packages) if name not in kept and name in facts.versions]
    return join([_files(desired, facts), sort(rows)])


def _files(desired: KubeBinariesDesired, facts: KubeBinariesFacts) -> Plan:
    wanted = texts(desired, facts.manager)
    paths = [path for path in FILES if path in wanted or path in facts.owned_files]
    return join([plan_file(path, wanted.get(path, ""), facts.files.get(path), WHY) for path in paths])


def _kubelet(name: str, desired: KubeBinariesDesired, facts: KubeBinariesFacts) -> Optional[Outcome]:
    """Return why a kubelet is not to be replaced now, or None."""
    wanted, have, api = version_of(desired.version), version_of(facts.kubelet), version_of(facts.api)
    if name != KUBELET or not facts.member or wanted is None:
        return None
    if have is not None and wanted[:2] < have[:2]:
        reason = f"{facts.kubelet} runs here, {desired.version} is declared: a kubelet does not go back a minor version"
        return Refusal(name, reason, f"declare {facts.kubelet.lstrip('v')}, or take the node out of the cluster first")
    if have is not None and wanted[:2] > (have[0], have[1] + 1):
        reason = f"{facts.kubelet} runs here, {desired.version} is declared: one minor version at a time"
        return Refusal(name, reason, f"declare a version of {have[0]}.{have[1] + 1} first, then: {UPGRADE}")
    if api is not None and api[:2] < wanted[:2]:
        reason = f"waits: the API server of this node is {facts.api}, and no kubelet is newer than its API server"
        return Noop(name, reason)
    return None


def _package_step(pins: List[Pin], facts: KubeBinariesFacts) -> Outcome:
    told = ", ".join(f"{pin.name} {pin.version}".strip() for pin in pins)
    target = pins[0].name if pins[0].name in UNITS else TARGET
    if not facts.manager:
        act = "install them in the image this node is started from, or declare source binaries"
        return Refusal(target, f"{told}: no package manager that raceway knows (apt-get, dnf, zypper) is here", act)
    before = ", ".join(f"{pin.name} {facts.versions[pin.name]}" for pin in pins if pin.name in facts.versions)
    unit = _unit(pins[0].name, facts)
    undo = f"declare the former version ({before})" if before else "by hand: raceway leaves packages"
    args: Dict[str, Any] = {"manager": facts.manager, "pins": [[pin.name, pin.version] for pin in pins], "unit": unit}
    args["before"] = {pin.name: facts.versions.get(pin.name, "") for pin in pins}
    what, why = f"install {told}" + _restarts(unit), _why(unit)
    return Step("kube_package", target, what, why, _risk(pins[0].name, facts), undo, before, told, args)


def _program(program: Program, desired: KubeBinariesDesired, facts: KubeBinariesFacts) -> Outcome:
    found = facts.sums.get(program.path, "")
    if found == program.sha256:
        return Noop(program.path, f"is the declared program (SHA-256 {found[:12]}…)")
    if program.local and facts.offered.get(program.name) != program.sha256:
        return _not_offered(program, facts.offered.get(program.name, ""))
    held = _kubelet(program.name, desired, facts)
    if held:
        return held
    unit = _unit(program.name, facts)
    undo = "what stood there before comes back" if found else "the program goes away"
    args = {"path": program.path, "from": program.origin, "sha256": program.sha256, "unit": unit, "found": found}
    what = f"{'replace' if found else 'put'} {program.path}{_restarts(unit)}"
    before, after = found[:12], program.sha256[:12]
    risk = _risk(program.name, facts)
    return Step("kube_program", program.path, what, _why(unit), risk, f"give it up: {undo}", before, after, args)


def _not_offered(program: Program, found: str) -> Refusal:
    there = f"has the SHA-256 {found}" if found else "is not there"
    act = f"put the declared program at {program.origin}, or correct its sum"
    return Refusal(program.path, f"{program.origin} {there}, {program.sha256} is declared", act)


def _unit(name: str, facts: KubeBinariesFacts) -> str:
    unit = UNITS.get(name, "")
    return unit if unit in facts.running else ""


def _restarts(unit: str) -> str:
    return f" and restart {unit}" if unit else ""


def _why(unit: str) -> str:
    return f"declared for this node; {unit} runs the former program until then" if unit else "declared for this node"


def _risk(name: str, facts: KubeBinariesFacts) -> str:
    # A kubelet of another version is only supported on a node without pods; containerd's restart breaks open streams.
    return DISRUPTIVE if facts.member and UNITS.get(name, "") in facts.running and name in UNITS else SAFE


def _give_back(path: str, facts: KubeBinariesFacts) -> Step:
    was = facts.owned[path]
    what = f"put back the {path} from before raceway" if was else f"remove {path}"
    args = {"path": path, "kept": was}
    why, undo = "it is no longer declared", "declare it again"
    return Step("kube_program_back", path, what, why, DISRUPTIVE if facts.member else SAFE, undo, args=args)

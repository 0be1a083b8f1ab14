"""Plans packages: one step installs everything that is missing.

It deliberately never removes a package: other software may have come to need it, and a removal takes data along.
"""

from __future__ import annotations

from typing import Dict, List, Union

from ..facts.package import PackageFacts
from ..model.package import Package, PackageDesired, bad_name
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, sort

TARGET = "packages"  # one name for what is one step, however much of it a second run still finds missing
REMOVE: Dict[str, str] = {"apt": "apt-get remove", "dnf": "dnf remove", "zypper": "zypper remove"}


def plan(desired: PackageDesired, facts: PackageFacts) -> Plan:
    """Return the step that installs what is missing, and the reason of everything that stays."""
    rows: List[Union[Step, Noop, Refusal]] = []
    missing: List[Package] = []
    for package in desired.packages:
        problem = bad_name(package.name)
        if problem:
            rows.append(Refusal(package.name, problem, "write the package's name alone, without version or option"))
        elif package.name in facts.installed:
            rows.append(Noop(package.name, _how(package.name, facts.installed[package.name])))
        else:
            missing.append(package)
    if missing:
        rows.append(_install(missing, facts))
    return sort([*rows, *_given_up(desired, facts)])


def _how(name: str, by: str) -> str:
    return "is installed" if name.split(":")[0] == by else f"is provided by {by}, which is installed"


def _install(missing: List[Package], facts: PackageFacts) -> Union[Step, Refusal]:
    names = [package.name for package in missing]
    told = ", ".join(names)
    if not facts.manager:
        act = "install them in the image this node is started from"
        return Refusal(TARGET, f"{told}: no package manager that raceway knows (apt-get, dnf, zypper) is here", act)
    why = "; ".join(f"{package.name}: asked for by {', '.join(package.asked_by) or 'packages'}" for package in missing)
    undo = f"by hand ({REMOVE[facts.manager]} {' '.join(names)}): raceway leaves packages, others may need them by then"
    args = {"manager": facts.manager, "names": names}
    return Step("package", TARGET, f"install {told}", why, SAFE, undo, "", told, args)


def _given_up(desired: PackageDesired, facts: PackageFacts) -> List[Noop]:
    declared = {package.name for package in desired.packages}
    reason = "raceway installed it and nothing declares it now; it stays, others may have come to need it"
    return [Noop(name, reason) for name in sorted(facts.owned) if name not in declared and name in facts.installed]

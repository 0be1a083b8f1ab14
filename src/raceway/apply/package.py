"""Installs packages without questions and reads the package manager's record back.

It deliberately refreshes the package index only where it must (no version known, or a version that has gone): on a
fleet every refresh is load on the mirror.
"""

from __future__ import annotations

from typing import List, Sequence, Tuple

from ..facts.package import APT, ZYPPER, candidates
from ..host import Result
from ..model.plan import Step
from ..probe.package import installed
from .outcome import Applying, Refused

INSTALL_TIMEOUT_S = 1800.0  # a big package over a slow mirror; a hung one ends all the same
UPDATE_TIMEOUT_S = 300.0
LOCK_TIMEOUT_S = 120  # unattended upgrades hold dpkg's lock right after a boot
# No questions, settings of an administrator stay, no service but the package's own is restarted.
_QUIET = ["env", "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1"]
APT_GET = [*_QUIET, "apt-get", "-q", "-o", f"DPkg::Lock::Timeout={LOCK_TIMEOUT_S}"]
APT_INSTALL = [
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"),
    *("install", "-y", "--no-install-recommends", "--"),
]
_STALE = ("404  Not Found", "Failed to fetch", "Unable to fetch", "Hash Sum mismatch")


def install(run: Applying, step: Step) -> None:
    """Install what is missing; what can be had is installed even where another name is unknown."""
    manager, names = str(step.args["manager"]), list(step.args["names"])
    run.ledger.remember_all("package", dict.fromkeys(names, "not installed"))
    done = _apt(run, names) if manager == APT else _other(run, manager, names)
    there = installed(run.host, manager, names)
    absent = [name for name in names if name not in there]
    if not absent:
        return
    run.ledger.forget_all("package", absent)
    raise Refused(f"{', '.join(absent)} not installed: {own_line(done)}")


def _apt(run: Applying, names: List[str]) -> Result:
    fresh = False
    known, unknown = _candidates(run, names)
    if unknown:
        fresh = True
        refresh(run)
        known, unknown = _candidates(run, names)
    done = Result(0, "", "")
    if known:
        done = run.host.run([*APT_GET, *APT_INSTALL, *known], INSTALL_TIMEOUT_S)
        if done.rc and not fresh and any(mark in done.err + done.out for mark in _STALE):
            refresh(run)
            done = run.host.run([*APT_GET, *APT_INSTALL, *known], INSTALL_TIMEOUT_S)
    if unknown and not done.rc:
        # Asked again alone: a virtual package with one provider gets it, any other name the tool's own words. A name
        # with a dot that apt does not know is a pattern to it, which may match anything: that one is only simulated.
        simulate = ["-o", "APT::Get::Simulate=1"] if any("." in name for name in unknown) else []
        done = run.host.run([*APT_GET, *simulate, *APT_INSTALL, *unknown], INSTALL_TIMEOUT_S)
    return done


def _candidates(run: Applying, names: List[str]) -> Tuple[List[str], List[str]]:
    known = set(candidates(run.host.run(["apt-cache", "policy", "--", *names]).out))
    return [name for name in names if name in known], [name for name in names if name not in known]


def refresh(run: Applying) -> None:
    """Read the package index anew; Refused with the tool's own line where that fails."""
    done = run.host.run([*APT_GET, "update"], UPDATE_TIMEOUT_S)
    if done.rc:
        raise Refused(f"the package index cannot be refreshed: {own_line(done)}")


def _other(run: Applying, manager: str, names: List[str]) -> Result:
    if manager == ZYPPER:
        argv = ["zypper", "--non-interactive", "install", "--no-recommends", "--", *names]
    else:
        argv = ["dnf", "-y", "--setopt=install_weak_deps=False", "--setopt=strict=False", "install", "--", *names]
    return run.host.run(argv, INSTALL_TIMEOUT_S)


def own_line(done: Result) -> str:
    """Return the line in which the tool says why: an error line where there is one, else the last."""
    lines = [line.strip() for line in (done.out + "\n" + done.err).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E: ", "Error", "error:", "No match", "No provider"))]
    return (errors or lines[-1:] or [f"the tool ended with {done.rc} and said nothing"])[0]


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what raceway is about to install before the package manager starts."""
    for step in steps:
        run.ledger.remember_all("package", dict.fromkeys(step.args["names"], "not installed"))


HANDLERS = {"package": install}

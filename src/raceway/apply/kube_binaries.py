"""Installs pinned packages and programs by their sum, keeps what stood there before, and restarts what ran the old one.

It deliberately keeps a replaced program as a file beside the ledger: a ledger of texts is no place for it.
"""

from __future__ import annotations

from typing import List, Sequence, Tuple

from ..facts.kube_packages import madison
from ..facts.package import APT, ZYPPER
from ..host.programs import WrongSum, copy, note, put, sum_of
from ..model.file import RACEWAY_HOME
from ..model.kube_binaries import Pin
from ..model.plan import Step
from ..probe.kube_binaries import PACKAGE_BOOK, PROGRAM_BOOK, package_versions
from . import file
from .kube_service import restart
from .outcome import Applying, Refused
from .package import APT_GET, APT_INSTALL, INSTALL_TIMEOUT_S, own_line, refresh

KEPT = f"{RACEWAY_HOME}/kept"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record files, packages and programs as found before the first change."""
    file.prepare(run, [step for step in steps if step.type in ("file", "file_attributes")])
    for step in steps:
        if step.type == "kube_package":
            run.ledger.remember_all(PACKAGE_BOOK, step.args["before"])
        if step.type == "kube_program":
            run.ledger.remember(PROGRAM_BOOK, step.args["path"], step.args["found"])


def install(run: Applying, step: Step) -> None:
    """Install packages at their versions and read the versions back; then restart what ran the former one."""
    manager, pins = step.args["manager"], [Pin(name, version) for name, version in step.args["pins"]]
    done = _apt(run, pins) if manager == APT else _other(run, manager, pins)
    found = package_versions(run.host, manager, [pin.name for pin in pins])
    wrong = [pin for pin in pins if not pin.met(found.get(pin.name, ""))]
    if wrong:
        told = ", ".join(f"{pin.name} is {found.get(pin.name) or 'not installed'}" for pin in wrong)
        raise Refused(f"{told}: {done}")
    if step.args["unit"]:
        run.want_reload()  # the package may have brought another unit file
        restart(run, step.args["unit"])


def _apt(run: Applying, pins: List[Pin]) -> str:
    words, problem = _resolve(run, pins)
    if problem:
        refresh(run)
        words, problem = _resolve(run, pins)
    if problem:
        raise Refused(problem)
    # A declared version may be older than the installed one, or held by a person's apt-mark.
    free = ["--allow-downgrades", "--allow-change-held-packages"]
    return own_line(run.host.run([*APT_GET, *free, *APT_INSTALL, *words], INSTALL_TIMEOUT_S))


def _resolve(run: Applying, pins: List[Pin]) -> Tuple[List[str], str]:
    """Return apt-get's words for exact versions, and what is wrong with the first that the sources do not have."""
    rows = madison(run.host.run(["apt-cache", "madison", *(pin.name for pin in pins)]).out)
    words = []
    for pin in pins:
        known = rows.get(pin.name, ())
        version = next((version for version in known if pin.met(version)), "")
        if not version:
            return (
                [],
                f"{pin.name} {pin.version}: the package sources have {', '.join(known[:5]) or 'no version of it'}",
            )
        words.append(f"{pin.name}={version}")
    return words, ""


def _other(run: Applying, manager: str, pins: List[Pin]) -> str:
    mark = "=" if manager == ZYPPER else "-"
    words = [f"{pin.name}{mark}{pin.version}" if pin.version else pin.name for pin in pins]
    if manager == ZYPPER:
        argv = ["zypper", "--non-interactive", "install", "--oldpackage", "--", *words]
    else:
        argv = ["dnf", "-y", "--setopt=install_weak_deps=False", "--allowerasing", "install", "--", *words]
    return own_line(run.host.run(argv, INSTALL_TIMEOUT_S))


def program(run: Applying, step: Step) -> None:
    """Put a program in place; the one from before raceway is kept."""
    path, origin = step.args["path"], step.args["from"]
    kept = f"{KEPT}{path}"
    try:
        if run.ledger.owned(PROGRAM_BOOK).get(path) and not run.host.exists(kept):
            copy(run.host, path, kept)
        put(run.host, origin, path, step.args["sha256"])
    except WrongSum as error:
        raise Refused(f"{error}, {step.args['sha256']} is declared") from error
    except OSError as error:
        raise Refused(f"{origin} cannot be had: {error.strerror or error}") from error
    if sum_of(run.host, path) != step.args["sha256"]:
        raise Refused(f"{path} is another file than was just written")
    note(run.host, path, step.args["sha256"])
    if step.args["unit"]:
        restart(run, step.args["unit"])


def give_back(run: Applying, step: Step) -> None:
    """Put a kept program back, or remove ours where there was none."""
    path, kept = step.args["path"], f"{KEPT}{step.args['path']}"
    if step.args["kept"] and run.host.exists(kept):
        copy(run.host, kept, path)
        run.host.remove(kept)
    elif step.args["kept"]:
        raise Refused(f"the program from before raceway is not at {kept} any more; put one at {path} by hand")
    else:
        run.host.remove(path)
    note(run.host, path, "")
    run.ledger.forget(PROGRAM_BOOK, path)


HANDLERS = {"kube_package": install, "kube_program": program, "kube_program_back": give_back}

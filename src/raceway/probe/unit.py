"""Reads the units' own files and asks systemd once about all of them: one program start, however many units."""

from __future__ import annotations

from typing import Dict, List, Mapping, Tuple

from ..facts.unit import PROPERTIES, OwnFile, UnitFacts, UnitState, parse_show
from ..host import Host, Ledger
from ..model.unit import UNIT_FOLDER, UnitDesired, bad_name
from .package import find_manager, installed

VENDOR_FOLDERS = ("/usr/lib/systemd/system/", "/lib/systemd/system/", "/usr/local/lib/systemd/system/")
ENABLED_BOOK, ACTIVE_BOOK, FILE_BOOK, PENDING_BOOK = "unit_enabled", "unit_active", "unit_file", "unit_pending"


def probe(host: Host, desired: UnitDesired, ledger: Ledger) -> UnitFacts:
    """Return the facts of every declared unit and of every unit raceway has taken over."""
    books = {book: ledger.owned(book) for book in (ENABLED_BOOK, ACTIVE_BOOK, FILE_BOOK, PENDING_BOOK)}
    names = [unit.name for unit in desired.units if not bad_name(unit.name)]
    names += [*books[ENABLED_BOOK], *books[ACTIVE_BOOK], *books[PENDING_BOOK]]
    names += [path[len(UNIT_FOLDER) :] for path in books[FILE_BOOK]]
    names = list(dict.fromkeys(names))
    states, problem = show(host, [name for name in names if "@." not in name])
    return UnitFacts(
        states=states,
        files={name: _own_file(host, name) for name in names},
        owned_enabled=books[ENABLED_BOOK],
        owned_active=books[ACTIVE_BOOK],
        owned_files=books[FILE_BOOK],
        pending=books[PENDING_BOOK],
        problem=problem,
        missing_packages=_missing_packages(host, desired, states),
    )


def show(host: Host, names: List[str]) -> Tuple[Dict[str, UnitState], str]:
    """Return the states of units, and why systemd could not be asked."""
    if not names:
        return {}, ""
    done = host.run(["systemctl", "show", "-p", ",".join(PROPERTIES), "--", *names])
    states = parse_show(done.out, names)
    if states:
        return states, ""
    lines = [line.strip() for line in (done.err or done.out).splitlines() if line.strip()]
    return {}, lines[0] if lines else f"systemctl show ended with {done.rc} and said nothing"


def _own_file(host: Host, name: str) -> OwnFile:
    path = UNIT_FOLDER + name
    link = host.readlink(path)
    vendor = host.first(folder + name for folder in VENDOR_FOLDERS) is not None
    return OwnFile(None if link is not None else host.read(path), link, vendor)


def _missing_packages(host: Host, desired: UnitDesired, states: Mapping[str, UnitState]) -> Tuple[str, ...]:
    """Return declared packages that are still to be installed; looked up only where a unit is not there."""
    absent = any(states.get(unit.name, UnitState()).load == "not-found" for unit in desired.units if not unit.content)
    if not absent or not desired.packages:
        return ()
    there = installed(host, find_manager(host), list(desired.packages))
    return tuple(name for name in desired.packages if name not in there)

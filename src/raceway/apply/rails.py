"""Puts rails into effect: systemd-networkd reads its files, what it does not set is set with ip, all is read back.

A file alone changes nothing until the daemon has taken it up, and the daemon does not put back what somebody took away
later: that is added with ip, which disturbs nothing else on the port.
It deliberately believes no exit status: what the kernel shows afterwards counts.
"""

from __future__ import annotations

import time
from typing import Any, Callable, List, Mapping, Sequence

from ..facts.rails import RailsFacts
from ..model.plan import Step
from ..model.rails import RailsDesired
from ..plan.rails_goal import Lack, interface_of, lacks, leftovers, stale, told
from ..probe.rails import NOUN, look, own_files
from .outcome import Applying, Refused

PROC = "/proc/sys/"
CONF = f"{PROC}net/ipv4/conf"
PAUSE_S = 0.25
# Emulated machines take up a new file within two seconds; a real one in a tenth of that.
PATIENCE_S = 10.0
STEADY = 3  # readings in a row: right after it was told to, the daemon has not begun yet
CONFIGURED = "configured"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record how every port was, before the first one changes."""
    originals = {label: was for step in steps if step.type == NOUN for label, was in step.args["before"].items()}
    run.ledger.remember_all(NOUN, originals)


def set_up(run: Applying, step: Step) -> None:
    """Bring one rail to what is declared and read it back."""
    args = step.args
    if args["bond"]:
        # The daemon leaves a bond that is there as it is, whatever its file says.
        kinds = ("bond", "member") if args["remake"] else ("bond",)
        _mend(run, [row for row in _left(run, args) if row.kind in kinds])
    if args["reload"]:
        _reload(run)
        _wait(lambda: _settled(run, args))
    errors = _mend(run, _left(run, args))
    rows = _left(run, args)
    if rows:
        why = f" ({'; '.join(errors)})" if errors else ""
        raise Refused(f"it was set, but afterwards the node still lacks {told(rows)}{why}")


def restore(run: Applying, step: Step) -> None:
    """Take down what was set up on a port or bond, give the port back as it was found, and forget it."""
    name, was = step.args["device"], step.args["was"]
    _reload(run)
    if was.get("bond"):
        if name in _look(run, RailsDesired()).links:
            _tool(run, ("ip", "link", "del", name))
    else:
        _give_back(run, name, was)
    _wait(lambda: not _cleared(run, step.args))
    rows = _cleared(run, step.args)
    if rows:
        raise Refused(f"it was taken down, but afterwards the node still lacks {told(rows)}")
    run.ledger.forget(NOUN, step.args["port"])


def forget(run: Applying, step: Step) -> None:
    """Drop the record of a port that is gone."""
    run.ledger.forget(NOUN, step.args["port"])


def _give_back(run: Applying, name: str, was: Mapping[str, Any]) -> None:
    for key, value in was["sysctls"].items():
        _poke(run, f"net/ipv4/conf/{name}/{key}", str(value))
    link = _look(run, RailsDesired()).links.get(name)
    if link and link.master in _look(run, RailsDesired()).owned_bonds:
        _tool(run, ("ip", "link", "set", "dev", name, "nomaster"))
    if link and link.up and not was["up"]:
        _tool(run, ("ip", "link", "set", "dev", name, "down"))


def _cleared(run: Applying, args: Mapping[str, Any]) -> List[Lack]:
    """Return what is still there, after trying to remove it: the daemon is removing the same at the same time."""
    rows = stale(args["device"], args["old"], args["keep"], _look(run, RailsDesired()))
    for row in rows:
        for call in row.calls:
            run.host.run(call)
    return stale(args["device"], args["old"], args["keep"], _look(run, RailsDesired())) if rows else []


def _left(run: Applying, args: Mapping[str, Any]) -> List[Lack]:
    facts = _look(run, args["desired"])
    rail = args["rail"]
    return [*lacks(rail, args["desired"], facts), *leftovers(rail, args["old"], args["keep"], facts)]


def _settled(run: Applying, args: Mapping[str, Any]) -> bool:
    facts = _look(run, args["desired"])
    name = interface_of(args["rail"], facts)
    owner = facts.owners.get(name)
    ready = owner is not None and owner.state == CONFIGURED and owner.file in facts.files
    rows = [row for row in lacks(args["rail"], args["desired"], facts) if row.kind != "sysctl"]
    return ready and not rows and not leftovers(args["rail"], args["old"], args["keep"], facts)


def _look(run: Applying, desired: RailsDesired) -> RailsFacts:
    return look(run.host, desired, run.ledger.owned(NOUN), own_files(run.host), {})


def _wait(done: Callable[[], bool]) -> None:
    """Wait until something holds in several readings in a row, or patience ends: what is then read back decides."""
    until, seen = time.monotonic() + PATIENCE_S, 0
    while seen < STEADY and time.monotonic() < until:
        seen = seen + 1 if done() else 0
        time.sleep(PAUSE_S)


def _reload(run: Applying) -> None:
    _tool(run, ("networkctl", "reload"))


def _mend(run: Applying, rows: Sequence[Lack]) -> List[str]:
    """Carry out the calls of all rows and return what failed: the daemon may have done the same a moment before."""
    errors = []
    for row in rows:
        try:
            for call in row.calls:
                _tool(run, call)
            if row.path:
                _poke(run, row.path, row.value)
        except Refused as error:
            errors.append(str(error))
    return errors


def _poke(run: Applying, path: str, value: str) -> None:
    try:
        run.host.poke(PROC + path, f"{value}\n")
    except OSError as error:
        raise Refused(f"the kernel refused {value} for {path}: {error.strerror}") from error


def _tool(run: Applying, call: Sequence[str]) -> None:
    done = run.host.run(call)
    if done.rc:
        raise Refused(f"{' '.join(call)}: {(done.err or done.out).strip() or f'exit status {done.rc}'}")


HANDLERS = {NOUN: set_up, "rails_restore": restore, "rails_forget": forget}

"""Re-executes the service manager so that new default limits are in force, and reads them back from it."""

from __future__ import annotations

import time
from typing import Dict, Sequence

from ..model.limit import amount
from ..model.plan import Step
from ..probe.limit import effective
from .outcome import Applying, Refused, remember_before

READ_BACK_TRIES = 10  # the manager answers again within milliseconds; a loaded node may need a little longer
READ_BACK_WAIT_S = 0.2


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what the manager gave to units before, setting by setting."""
    remember_before(run, "limit", steps)


def reexec(run: Applying, step: Step) -> None:
    """Re-execute the manager (it keeps every unit running), read back, forget what is no longer declared."""
    done = run.host.run(["systemctl", "daemon-reexec"])
    if done.rc:
        raise Refused(f"systemctl daemon-reexec: {done.err.strip() or f'exit status {done.rc}'}")
    run.reloaded()
    expect = step.args["expect"]
    shown = _read_back(run, tuple(expect))
    for setting, value in expect.items():
        if amount(shown.get(setting, "")) != amount(value):
            raise Refused(f"the manager shows {setting}={shown.get(setting, '')!r} instead of {value!r}")
    for setting in step.args["forget"]:
        run.ledger.forget("limit", setting)


def _read_back(run: Applying, settings: Sequence[str]) -> Dict[str, str]:
    for _ in range(READ_BACK_TRIES):
        shown = effective(run.host, tuple(settings))
        if shown is not None:
            return dict(shown)
        time.sleep(READ_BACK_WAIT_S)
    raise Refused("the manager does not answer `systemctl show` after it was re-executed")


HANDLERS = {"limit": reexec}

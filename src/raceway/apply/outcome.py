"""What a handler is given and how it says no: the host, the ledger, and the work that is done once at the end."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from ..host import Host, Ledger
from ..model.plan import Step


class Refused(Exception):
    """The kernel or a tool refused a step; the message is the reason, told to the reader as a refusal."""


class Applying:
    """One apply run. ``want_reload`` collects the need for one daemon-reload for any number of unit files.

    ``secrets``: what came beside the request, noun → its own; nothing of it goes into a plan, message or ledger.
    """

    def __init__(self, host: Host, ledger: Ledger, secrets: Optional[Mapping[str, Any]] = None) -> None:
        self.host = host
        self.ledger = ledger
        self.secrets: Mapping[str, Any] = secrets or {}
        self._reload = False

    def want_reload(self) -> None:
        """Note that unit or manager files changed; the next unit action, or the end, reloads once."""
        self._reload = True

    def reloaded(self) -> None:
        """Note that the manager has just read all its files anew (a re-execution does), so no reload is owed."""
        self._reload = False

    def settle(self) -> None:
        """Reload systemd if anything asked for it. Called before a unit is acted on and at the end."""
        if not self._reload:
            return
        self._reload = False
        done = self.host.run(["systemctl", "daemon-reload"])
        if done.rc:
            raise Refused(f"systemctl daemon-reload: {done.err.strip() or done.out.strip()}")


def remember_before(run: Applying, noun: str, steps: Sequence[Step]) -> None:
    """Record with one write what the noun's own steps found, from each step's ``args["before"]``."""
    originals: Dict[str, Any] = {}
    for step in steps:
        if step.type == noun:
            originals.update(step.args["before"])
    run.ledger.remember_all(noun, originals)

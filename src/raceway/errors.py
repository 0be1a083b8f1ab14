"""The one error people see when what they gave cannot be used.

A message has four parts: the place, what was found there, what is allowed, and the next act. Code that
raises it has changed nothing yet, or says what it has changed.

It deliberately does not carry a traceback or an exit code: the command line decides about those.
"""

from __future__ import annotations

from typing import Optional


class RacewayError(Exception):
    """Bad input or a missing part of the environment, told in one message.

    ``place``: file, host, variable or command. ``found``: the value seen (never a secret).
    ``allowed``: the values that would do. ``act``: what the reader does next. Empty parts are left out.
    """

    def __init__(
        self,
        place: str,
        found: str = "",
        allowed: str = "",
        act: str = "",
        log: Optional[str] = None,
    ) -> None:
        self.place = place
        self.found = found
        self.allowed = allowed
        self.act = act
        self.log = log
        super().__init__(self.message())

    def message(self) -> str:
        """Return ``place: found; allowed: …; next: … (log: …)`` with the parts that are known."""
        parts = [f"{self.place}: {self.found}" if self.found else self.place]
        if self.allowed:
            parts.append(f"allowed: {self.allowed}")
        if self.act:
            parts.append(f"next: {self.act}")
        text = "; ".join(parts)
        return f"{text} (log: {self.log})" if self.log else text

"""Runs a tool that has to succeed; its own words are the reason where it does not."""

from __future__ import annotations

from ..host.machine import RUN_TIMEOUT_S
from .outcome import Applying, Refused


def tool(run: Applying, *words: str, timeout: float = RUN_TIMEOUT_S) -> str:
    """Return what the tool printed; Refused with its words for any other end than 0."""
    done = run.host.run(words, timeout)
    if done.rc:
        raise Refused(f"{' '.join(words)}: {(done.err or done.out).strip() or f'exit status {done.rc}'}")
    return done.out

"""What ``udaddy`` says: whether datagrams went there and back over RDMA between two nodes.

    udaddy: starting client
    udaddy: connecting
    initiating data transfers
    data transfers complete
    return status 0

It deliberately gives no rate and no time: udaddy measures neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from .reading import joined, number, quote
from .verdict import ended, problem

TOOL = "udaddy"
_KNOWN = re.compile(
    r"^(?:udaddy: (?:starting|connecting|client|server|binding|listening)|initiating data transfers"
    r"|receiving data transfers|sending replies|test complete|data transfers complete|return status)"
)
_ERROR = re.compile(
    r"RDMA_CM_EVENT_\w+, error|^udaddy: (?:failed|unable|event|failure|unhandled)|failure polling|failed"
)
_STATUS = re.compile(r"^return status (-?\d+)$")


@dataclass(frozen=True)
class Udaddy:
    """``complete``: all messages were sent and answered. ``status``: what it says it returned, None: not told."""

    complete: bool = False
    status: Optional[int] = None
    problem: str = ""


def parse(text: str) -> Udaddy:
    """Return how far it came; a run that is not complete always has a problem."""
    whole, half = ended(text)
    errors = [line for line in whole if _ERROR.search(line)]
    known = [line for line in whole if _KNOWN.match(line)]
    statuses = [number(found[1]) for found in map(_STATUS.match, whole) if found]
    status = statuses[-1] if statuses else None
    complete = "data transfers complete" in whole and status == 0
    rest = [line for line in whole if line not in known and line not in errors]
    said = problem(TOOL, bool(known), rest, half=half) if not errors or half else ""
    early = "it ended before the data transfers were complete" if known and not complete and not errors else ""
    return Udaddy(complete and not errors, status, joined(*(quote(line) for line in errors), said, early))

"""What ``rping -v`` says: how many messages went there and back over RDMA, checked by their content.

    ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr
    cma event RDMA_CM_EVENT_REJECTED, error 8
    client DISCONNECT EVENT...

It deliberately gives no rate and no time: rping measures neither. It shows that a path carries RDMA, no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .reading import joined, quote
from .verdict import ended, problem

TOOL = "rping -v"
_PING = re.compile(r"^(?:server )?ping data: rdma-ping-(\d+): ")
_END = re.compile(r"^(?:client|server) DISCONNECT EVENT")
_ERROR = re.compile(
    r"RDMA_CM_EVENT_\w+, error|\berror -?\d+|failed status|wait for \w+ state|^rdma_\w+: |unhandled event|data mismatch"
)


@dataclass(frozen=True)
class Rping:
    """``pings``: messages that came back whole. ``ended``: the connection was closed as it should be."""

    pings: int = 0
    ended: bool = False
    problem: str = ""


def parse(text: str) -> Rping:
    """Return how far it came; no message at all always comes with a problem."""
    whole, half = ended(text)
    pings = [line for line in whole if _PING.match(line)]
    errors = [line for line in whole if _ERROR.search(line)]
    over = any(_END.match(line) for line in whole)
    rest = [line for line in whole if line not in pings and line not in errors and not _END.match(line)]
    said = problem(TOOL, bool(pings or over), rest, half=half) if not errors or half else ""
    nothing = "no message came back" if over and not pings and not errors else ""
    return Rping(len(pings), over, joined(*(quote(line) for line in errors), said, nothing))

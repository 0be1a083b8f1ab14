"""How a longer call of the node program learns that it is to end: a signal, or a controller that no longer listens.

It deliberately ends by an exception and not at once, so that what was started is ended on the way out.
"""

from __future__ import annotations

import contextlib
import select
import signal
from typing import Any, Iterator


def gone() -> bool:
    """Tell whether the other end of standard output was closed: the controller was ended."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))


@contextlib.contextmanager
def leaving_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit (128 and the number) while it is entered."""
    former = {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _leave(number: int, _frame: Any) -> None:
    raise SystemExit(128 + number)

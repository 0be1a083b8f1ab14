"""A longer call ends by an exception: what it has started is ended on the way out."""

from __future__ import annotations

import os
import signal

import pytest

from raceway.host import ending
from raceway.host.ending import leaving_on_signals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_through_what_must_be_ended(number: signal.Signals) -> None:
    former, ended = signal.getsignal(number), []
    with pytest.raises(SystemExit) as left, leaving_on_signals():
        try:
            os.kill(os.getpid(), number)
        finally:
            ended.append(number)
    assert (left.value.code, ended) == (128 + number, [number])
    assert signal.getsignal(number) is former


def test_a_closed_standard_output_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    real = ending.select.poll

    class Poll:
        """Looks at the test's pipe in the place of standard output."""

        def __init__(self) -> None:
            self.inner = real()

        def register(self, _number: int, events: int) -> None:
            self.inner.register(writing, events)

        def poll(self, timeout: int) -> list[tuple[int, int]]:
            return self.inner.poll(timeout)

    monkeypatch.setattr(ending.select, "poll", Poll)
    assert ending.gone() is False
    os.close(reading)
    assert ending.gone() is True
    os.close(writing)

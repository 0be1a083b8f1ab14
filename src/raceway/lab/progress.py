"""Shows the steps of a lab coming up: a spinner with its seconds on a terminal, plain lines elsewhere.

It deliberately does not guess a percentage where the work under it tells none.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class Steps:
    """Progress of one command; everything goes to stderr, so stdout stays for results."""

    def __init__(self, show: bool = True) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.show = show

    @contextlib.contextmanager
    def step(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show ``text`` while the body runs; the body may add a passing detail."""
        with self.count(text, 0) as advance:
            yield lambda detail: advance(0, detail)

    @contextlib.contextmanager
    def count(self, text: str, total: int) -> Iterator[Callable[[int, str], None]]:
        """As ``step`` with a bar of ``total`` things; call the given function with how many are done, and a detail."""
        began = time.monotonic()
        if not self.show:
            yield lambda done, detail: None
            return
        if not self.console.is_terminal:
            yield lambda done, detail: None
            print(f"[{time.monotonic() - began:6.1f} s] {text}", file=sys.stderr, flush=True)
            return
        bar = (BarColumn(bar_width=24), MofNCompleteColumn()) if total else ()
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            *bar,
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[detail]}"),
        )
        with Progress(*columns, console=self.console) as progress:
            task = progress.add_task(text, total=total or None, detail="")
            yield lambda done, detail: progress.update(task, completed=done, detail=detail)
            progress.update(task, total=total or 1, completed=total or 1, detail="")

    def say(self, text: str) -> None:
        """One line that stays."""
        if self.show:
            self.console.print(text)

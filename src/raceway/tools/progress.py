"""Shows a long build: one bar per family on a terminal, one line per step elsewhere, nothing when not wanted.

It deliberately promises no percentage of time: Go tells none. The bar counts packages, of all a program needs;
those that come out of the build cache are counted when the program is done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from .pins import Family

HEARTBEAT_SECONDS = 30.0


class Shown:
    """Progress over families; used as a context manager."""

    def __init__(self, families: Sequence[Family], show: bool = True) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._show = show
        self._began: dict[str, float] = {}
        self._said = 0.0
        self._done: dict[str, int] = {}
        self._total: dict[str, int] = {}
        if show and self._console.is_terminal:
            self._bars = Progress(
                SpinnerColumn(),
                TextColumn("{task.fields[family]:<9}"),
                BarColumn(bar_width=16),
                TextColumn("{task.completed:>4.0f}/{task.total:.0f} packages"),
                TimeElapsedColumn(table_column=Column(min_width=7, no_wrap=True)),
                # The text gives way on a narrow terminal, the figures do not.
                TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
                console=self._console,
                expand=True,
            )
            for family in families:
                self._tasks[family.name] = self._bars.add_task("waits", family=family.name, total=0, start=False)

    def __enter__(self) -> Shown:
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()

    def step(self, family: Family, text: str) -> None:
        """Say what the family's build does now."""
        if family.name not in self._began:
            self._began[family.name] = time.monotonic()
            if self._bars:
                self._bars.start_task(self._tasks[family.name])
        if self._bars:
            self._bars.update(self._tasks[family.name], description=text)
        elif self._show:
            self._say(family, text)

    def expect(self, family: Family, packages: int) -> None:
        """Set the number of packages the family's programs need."""
        self._total[family.name] = packages
        if self._bars:
            self._bars.update(self._tasks[family.name], total=packages)

    def reach(self, family: Family, packages: int) -> None:
        """Set how many of them are done."""
        self._done[family.name] = packages
        if self._bars:
            self._bars.update(self._tasks[family.name], completed=packages)
        elif self._show and time.monotonic() - self._said > HEARTBEAT_SECONDS:
            self._say(family, f"{packages}/{self._total.get(family.name, 0)} packages")

    def detail(self, family: Family, text: str) -> None:
        """Show a passing detail, on a terminal only."""
        if self._bars:
            self._bars.update(self._tasks[family.name], description=text)

    def finish(self, family: Family, text: str) -> None:
        """The family is done."""
        if self._bars:
            task = self._tasks[family.name]
            total = self._total.get(family.name, 0) or 1
            self._bars.update(task, total=total, completed=total, description=text)
            self._bars.stop_task(task)
        elif self._show:
            self._say(family, text)

    def _say(self, family: Family, text: str) -> None:
        self._said = time.monotonic()
        seconds = int(self._said - self._began.get(family.name, self._said))
        print(f"[{seconds // 60:02d}:{seconds % 60:02d}] {family.name}: {text}", file=sys.stderr, flush=True)

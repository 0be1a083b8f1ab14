# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Tells a run so that it reads on three nodes and on three hundred: equal lines are one line, the end is a table."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from ansible import constants as C
from ansible.plugins.callback import CallbackBase

from raceway import summary

DOCUMENTATION = """
name: summary
type: stdout
short_description: One line a task for nodes that fared alike, a table and all reasons at the end
description:
  - Groups nodes that say the same, shows how many have answered while a task runs, and closes with steps, refusals and
    reboot reasons per node. With C(--diff) each step is shown with its value before and after; with C(-v) its reason.
  - Where the environment variable RACEWAY_REPORT names a file, the run is written there as JSON.
extends_documentation_fragment:
  - default_callback
"""


# Tasks whose success is no news: only their failures are told.
QUIET = tuple(
    f"{prefix}{name}"
    for prefix in ("", "ansible.builtin.", "ansible.legacy.")
    for name in (
        "include_tasks",
        "include_role",
        "import_tasks",
        "validate_argument_spec",
        "assert",
        "set_fact",
        "stat",
    )
)
# Where the run is written as JSON for pipelines, when the variable is set.
REPORT = "RACEWAY_REPORT"


class CallbackModule(CallbackBase):
    """The stdout callback."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "raceway.raceway.summary"

    def __init__(self) -> None:
        super().__init__()
        self.nodes: dict[str, summary.Node] = {}
        self.lines: dict[str, list[str]] = {}
        self.steps: dict[str, list[str]] = {}
        self.task = ""
        self.total = self.answered = 0

    def v2_playbook_on_play_start(self, play: Any) -> None:
        self._close()
        self._display.display(f"\n{play.get_name() or play.name}", color=C.COLOR_HIGHLIGHT)
        self.total = len(play.get_variable_manager()._inventory.get_hosts(play.hosts))

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self._close()
        self.task, self.answered = task.get_name().split(" : ")[-1], 0

    def v2_runner_on_ok(self, result: Any) -> None:
        data = result.result
        if "roles" in data and "applied" in data:
            self._node(result.host.get_name()).take(data)
            self._say(result, summary.line(data))
            for text in summary.steps(data) if self._display.verbosity else []:
                self.steps.setdefault(text, []).append(result.host.get_name())
        elif data.get("changed") or (data.get("msg") and result.task.action not in QUIET):
            self._say(result, data.get("msg") or "changed")
        else:
            self._progress()

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        data = result.result
        node = self._node(result.host.get_name())
        if "roles" in data and "applied" in data:
            node.take(data)
        text = summary.failure(data)
        node.failures.append(f"{self.task}: {text}")
        self._say(result, f"FAILED: {text}")

    def v2_runner_item_on_failed(self, result: Any) -> None:
        label = self._get_item_label(result.result)
        self._say(result, f"FAILED: {label}: {summary.failure(result.result)}")

    def v2_runner_on_unreachable(self, result: Any) -> None:
        node = self._node(result.host.get_name())
        node.unreachable = True
        text = str(result.result.get("msg", "no answer")).strip()
        node.failures.append(text)
        self._say(result, f"UNREACHABLE: {text}")

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._progress()

    def v2_on_file_diff(self, result: Any) -> None:
        rows = result.result.get("diff") or []
        shown = self._get_diff([row for row in (rows if isinstance(rows, list) else [rows]) if row])
        if shown:
            self.lines.setdefault(shown.rstrip(), []).append(result.host.get_name())

    def v2_playbook_on_no_hosts_matched(self) -> None:
        self._display.display("no node matches: check the groups of the inventory and --limit", color=C.COLOR_ERROR)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._close()
        if not self.nodes:
            return
        self._display.display("")
        for row in summary.table(self.nodes):
            self._display.display(row)
        for row in summary.reasons(self.nodes):
            self._display.display(row, color=C.COLOR_WARN)
        if os.environ.get(REPORT):
            Path(os.environ[REPORT]).write_text(summary.as_json(self.nodes), encoding="utf-8")
        changed = sum(stats.changed.values())
        self._display.display(f"changed={changed} failed={sum(stats.failures.values())} unreachable={len(stats.dark)}")

    def _node(self, name: str) -> summary.Node:
        return self.nodes.setdefault(name, summary.Node())

    def _say(self, result: Any, text: str) -> None:
        self.lines.setdefault(text, []).append(result.host.get_name())
        self._progress()

    def _progress(self) -> None:
        """Show how many nodes have answered: on a terminal in place, elsewhere at the end only."""
        self.answered += 1
        if sys.stdout.isatty() and self.total > 1:
            sys.stdout.write(f"\r{self.task}: {self.answered}/{self.total}\x1b[K")
            sys.stdout.flush()

    def _close(self) -> None:
        """Print the task that has ended: each line once, with the nodes it holds for."""
        if sys.stdout.isatty() and self.answered:
            sys.stdout.write("\r\x1b[K")
        if self.lines:
            self._display.display(self.task, color=C.COLOR_VERBOSE)
        for text, names in self.lines.items():
            bad = text.startswith(("FAILED", "UNREACHABLE"))
            self._display.display(f"  {summary.fold(names)}: {text}", color=C.COLOR_ERROR if bad else C.COLOR_OK)
        for text, names in self.steps.items():
            self._display.display(f"    {summary.fold(names)}: {text}")
        self.lines, self.steps = {}, {}

# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Writes down, for every Ansible-based tool alike, which settings a run changed or would change: one JSON line a run.

It runs beside the tool's own output, which stays what its user would see.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: aggregate
short_description: Write what changed on which node into the file that B60_RECORD names
description: For the bench's comparison of drift reports.
"""


class CallbackModule(CallbackBase):
    """Collects (node, setting) pairs; a raceway step's target and a stock item's label are both settings."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "record"

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str]] = []

    def v2_runner_on_ok(self, result: Any) -> None:
        data = result.result
        if "roles" in data:
            steps = [step for plan in data["roles"].values() for step in plan["steps"]]
            self.rows += [(result.host.get_name(), step["target"]) for step in steps]
        elif data.get("changed") and "results" not in data:
            self.rows.append((result.host.get_name(), result.task.get_name()))

    def v2_runner_item_on_ok(self, result: Any) -> None:
        if result.result.get("changed"):
            item = result.result["item"]
            self.rows.append((result.host.get_name(), item["key"] if isinstance(item, dict) else item))

    def v2_playbook_on_stats(self, stats: Any) -> None:
        with open(os.environ["B60_RECORD"], "w") as stream:
            json.dump(self.rows, stream)

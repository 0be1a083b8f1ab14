# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the plans of all nodes of a play as one JSON file on the controller; a node without an answer is named too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

KEPT = ("roles", "refused", "reboots", "pending")


class ActionModule(ActionBase):
    """Runs on the controller only."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Write the report and return its path and the number of nodes in it."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, options = self.validate_argument_spec({"path": {"type": "path", "required": True}})
        nodes: dict[str, Any] = {}
        for name in variables["ansible_play_hosts_all"]:
            plan = variables["hostvars"][name].get("raceway_plan")
            answered = isinstance(plan, dict) and "roles" in plan
            nodes[name] = {key: plan[key] for key in KEPT} if answered else {"error": "no answer from this node"}
        path = Path(options["path"]).resolve()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                json.dumps({"nodes": nodes}, indent=1, sort_keys=True, default=str) + "\n", encoding="utf-8"
            )
        except OSError as error:
            raise AnsibleActionFail(f"{path}: the report cannot be written: {error.strerror}") from None
        return {"changed": False, "path": str(path), "msg": f"{len(nodes)} nodes in {path}"}

# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the inventory of the running play on the controller and fails with all errors at once; contacts no node."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.vars import load_extra_vars

try:
    from raceway.errors import RacewayError
    from raceway.inventory import check, load
    from raceway.inventory.findings import ERROR
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem

OPTIONS = {
    "sources": {"type": "list", "elements": "path"},
    "limit": {"type": "str", "default": ""},
}


class ActionModule(ActionBase):
    """Runs on the controller only."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the findings; failed when one of them is an error."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, options = self.validate_argument_spec(OPTIONS)
        sources = options["sources"] or variables.get("ansible_inventory_sources") or []
        try:
            inventory = load([str(one) for one in sources], load_extra_vars(self._loader), self._loader)
            findings = check(inventory, limit=options["limit"])
        except RacewayError as error:
            raise AnsibleActionFail(error.message()) from None
        errors = [one for one in findings if one.severity == ERROR]
        result: dict[str, Any] = {
            "changed": False,
            "findings": [one.to_json() for one in findings],
            "hosts": len(inventory.hosts),
            "warnings": [one.message() for one in findings if one.severity != ERROR],
        }
        if errors:
            many = f"{len(errors)} error{'s' if len(errors) > 1 else ''} in the inventory, nothing was changed"
            result |= {"failed": True, "msg": "\n".join([f"{many}:", *(one.message() for one in errors)])}
        else:
            result["msg"] = f"{len(inventory.hosts)} hosts checked, no error"
        return result

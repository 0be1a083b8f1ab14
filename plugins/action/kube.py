# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""One act of one node of a cluster for another: means to join, drain, uncordon, delete, look, stop, restore, reset.

It deliberately tells nothing of the means but that they were made: the task that asks for them sets no_log, and hands
them on as C(secrets) of the node call.
"""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

try:
    from raceway import bundle
    from raceway.errors import RacewayError
    from raceway.inventory.desired import resolved
    from raceway.inventory.specs import load_specs

    bundle.build()  # in the parent: forked workers inherit it
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem
VARIABLES = tuple(load_specs(None)["kubernetes"].options)
ACTS = ("place", "means", "drain", "uncordon", "delete", "look", "stop", "restore", "reset")
OPTIONS = {
    "act": {"type": "str", "choices": list(ACTS), "required": True},
    "node": {"type": "str", "default": ""},
    "timeout_s": {"type": "int", "default": 300},
    "ttl_min": {"type": "int", "default": 15},
    "control_plane": {"type": "bool", "default": False},
    "snapshot": {"type": "str", "default": ""},
    "address": {"type": "str", "default": ""},
}
NEEDED = {
    "drain": ("node",),
    "uncordon": ("node",),
    "delete": ("node",),
    "look": ("snapshot",),
    "restore": ("node", "snapshot"),
}


class ActionModule(ActionBase):
    """Runs on the node the task is for, or is delegated to."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask the node; in check mode nothing is asked, since every act changes something."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, options = self.validate_argument_spec(OPTIONS)
        missing = [name for name in NEEDED.get(options["act"], ()) if not options[name]]
        if missing:
            raise AnsibleActionFail(f"act {options['act']} needs {', '.join(missing)}; next: give it")
        if options["act"] == "place":
            return self._place(variables)
        if self._task.check_mode:
            return {"changed": options["act"] not in ("means", "look"), "means": {}}

        def send(arguments: dict[str, Any]) -> dict[str, Any]:
            return dict(self._execute_module("raceway.raceway.node", arguments, task_vars=variables))

        return {"changed": False, **bundle.ask(send, {"mode": "kube", **options})}

    def _place(self, variables: dict[str, Any]) -> dict[str, Any]:
        """Return what the inventory says of the node's part, without asking the node."""
        names = (*VARIABLES, "raceway_roles", "groups", "inventory_hostname")
        values = {name: self._templar.template(variables[name]) for name in names if name in variables}
        try:
            found = resolved(values, variables["inventory_hostname"], "kubernetes")
        except RacewayError as error:
            raise AnsibleActionFail(error.message()) from None
        part = {name[len("kubernetes_") :]: value for name, value in found.items()}
        enabled = "kubernetes" in (values.get("raceway_roles") or ())
        place = "none" if not enabled else part["node_role"]
        if enabled and part["first_control_plane"] == part["node_name"] and place != "none":
            place = "first"
        row = {name: part[name] for name in ("node_name", "drain_timeout_s")}
        return {"changed": False, "place": place, "first": part["first_control_plane"], **row}

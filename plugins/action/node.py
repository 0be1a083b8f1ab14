# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's end of a raceway call: compile the desired state, send the bundle if it is new, read the answer.

One call serves all roles of a host. It deliberately adds no facts and no defaults of its own: what is sent is what
`raceway inventory show HOST` prints.
"""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

try:
    # At import, in the parent process: forked workers inherit the compiled bundle and the parsed specifications.
    from raceway import bundle, roles
    from raceway.errors import RacewayError
    from raceway.inventory import compile_vars
    from raceway.inventory.specs import load_specs
    from raceway.report import task_result

    BUNDLE = bundle.build()
    VARIABLES = ("raceway_roles", *(name for spec in load_specs(None).values() for name in spec.options))
    compile_vars({}, "nobody")  # whatever it reads and imports once, it has read before the workers are forked
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem

HOME = "/var/lib/raceway/bundles"
OPTIONS = {
    "mode": {"type": "str", "choices": ["plan", "apply", "verify"], "default": "apply"},
    "roles": {"type": "list", "elements": "str"},
    "nouns": {"type": "list", "elements": "str"},
    "refusals": {"type": "str", "choices": ["fail", "report"], "default": "fail"},
    "explain": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Runs before and after the module on the node."""

    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the task's result; bad declarations fail here, before the node is contacted."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, options = self.validate_argument_spec(OPTIONS)
        check = bool(self._task.check_mode)
        mode = "plan" if check and options["mode"] == "apply" else options["mode"]
        try:
            wanted = self._desired(variables, options["roles"], options["nouns"])
        except RacewayError as error:
            raise AnsibleActionFail(error.message()) from None
        answer = self._call({"mode": mode, "explain": options["explain"], "roles": wanted}, variables)
        if answer.get("failed") or "roles" not in answer:
            return answer
        return task_result(answer, options["mode"], check, options["refusals"])

    def _desired(self, variables: dict[str, Any], only: list[str] | None, nouns: list[str] | None) -> dict[str, Any]:
        values = {name: self._templar.template(variables[name]) for name in VARIABLES if name in variables}
        state = compile_vars(values, variables["inventory_hostname"])
        if only is not None:
            for name in only:
                roles.role(name)
            state = {name: body for name, body in state.items() if name in only}
        if nouns is not None:
            state = {
                name: {**body, "nouns": {noun: spec for noun, spec in body["nouns"].items() if noun in nouns}}
                for name, body in state.items()
            }
        return state

    def _call(self, request: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        arguments = {"home": HOME, "bundle": BUNDLE.digest, "request": request}
        answer = self._execute_module("raceway.raceway.node", arguments, task_vars=variables)
        if answer.get("bundle_missing"):
            arguments["archive"] = BUNDLE.archive
            answer = self._execute_module("raceway.raceway.node", arguments, task_vars=variables)
        return answer

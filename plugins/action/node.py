# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's end of a raceway call: compile the desired state, send the bundle if it is new, read the answer.

One call serves all roles of a host. It deliberately adds no facts and no defaults of its own: what is sent is what
`raceway inventory show HOST` prints.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ansible import constants as C
from ansible.errors import AnsibleActionFail
from ansible.module_utils.common.json import Direction, get_module_decoder, get_module_encoder
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader, shell_loader

try:
    # At import, in the parent process: forked workers inherit the compiled bundle and the parsed specifications.
    from raceway import bundle, roles
    from raceway.errors import RacewayError
    from raceway.inventory import compile_vars
    from raceway.inventory.specs import load_specs
    from raceway.report import task_result

    bundle.build()
    VARIABLES = ("raceway_roles", *(name for spec in load_specs(None).values() for name in spec.options))
    # Whatever it reads and imports once, it has read before the workers are forked. Defaults name what is Ansible's.
    compile_vars({"inventory_hostname": "nobody", "groups": {}}, "nobody")
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem


def _before_the_fork() -> None:
    """Load in the parent what Ansible itself would load in the worker of every host: about 0.1 CPU-seconds each.

    Nothing depends on it; what another version of Ansible names otherwise is simply loaded later.
    """
    with contextlib.suppress(ImportError, AttributeError, TypeError, ValueError):
        connection_loader.get("ssh", class_only=True)
        shell_loader.get("sh", class_only=True)
        for direction in Direction:
            get_module_encoder("legacy", direction)
            get_module_decoder("legacy", direction)
        from ansible._internal._task import UnifiedTaskResult

        for source_is_module in (False, True):
            UnifiedTaskResult.get_result_key_to_resolved_field_mapping(source_is_module=source_is_module)


_before_the_fork()
OPTIONS = {
    "mode": {"type": "str", "choices": ["plan", "apply", "verify"], "default": "apply"},
    "roles": {"type": "list", "elements": "str"},
    "nouns": {"type": "list", "elements": "str"},
    "refusals": {"type": "str", "choices": ["fail", "report"], "default": "fail"},
    "explain": {"type": "bool", "default": False},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
}
# Of Ansible itself, for defaults that are made of them.
MAGIC = ("groups", "inventory_hostname")


def _secrets(given: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the part of a request that only handlers of an apply see; a plan is made without it."""
    if not given or mode != "apply":
        return {}
    if C.DEFAULT_KEEP_REMOTE_FILES:
        raise AnsibleActionFail(
            "ANSIBLE_KEEP_REMOTE_FILES would leave secrets in a file on the node; next: run without it"
        )
    return {"secrets": given}


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
        request = {"mode": mode, "explain": options["explain"], "roles": wanted}
        answer = self._call({**request, **_secrets(options["secrets"], mode)}, variables)
        if answer.get("failed") or "roles" not in answer:
            return answer
        return task_result(answer, options["mode"], check, options["refusals"])

    def _desired(self, variables: dict[str, Any], only: list[str] | None, nouns: list[str] | None) -> dict[str, Any]:
        values = {name: self._templar.template(variables[name]) for name in (*VARIABLES, *MAGIC) if name in variables}
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
        def send(arguments: dict[str, Any]) -> dict[str, Any]:
            return dict(self._execute_module("raceway.raceway.node", arguments, task_vars=variables))

        return bundle.ask(send, request)

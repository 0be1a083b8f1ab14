# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Gathers the evidence of a node with one call and writes its bundle on the controller.

It deliberately uses the node module as it is: the program runs from the bundle the node has, or from memory, and a node
that has never been contacted keeps no trace.
"""

from __future__ import annotations

import base64
import time
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

try:
    from raceway import bundle
    from raceway.diagnose import settings
    from raceway.errors import RacewayError

    BUNDLE = bundle.build()
    VARIABLES = settings.variables()
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem


class ActionModule(ActionBase):
    """Runs before and after the module on the node; nothing changes there, so check mode makes no difference."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return where the bundle is and what is in it."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        self.validate_argument_spec({})
        host = variables["inventory_hostname"]
        given = {name: self._templar.template(variables[name]) for name in VARIABLES if name in variables}
        try:
            found = settings.values(given, host)
        except RacewayError as error:
            raise AnsibleActionFail(error.message()) from None
        answer = self._call(settings.request(found, host, BUNDLE.digest), variables)
        if "evidence" not in answer:
            return answer
        return self._written(found, host, answer["evidence"])

    def _call(self, request: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        def send(arguments: dict[str, Any]) -> dict[str, Any]:
            return dict(self._execute_module("raceway.raceway.node", arguments, task_vars=variables))

        return bundle.ask(send, request)

    def _written(self, found: dict[str, Any], host: str, evidence: dict[str, Any]) -> dict[str, Any]:
        path = settings.place(found, host, time.time()).resolve()
        try:
            settings.write(path, base64.b64decode(evidence.pop("archive")))
        except OSError as error:
            raise AnsibleActionFail(f"{path}: the bundle cannot be written: {error.strerror}") from None
        text = f"{evidence['items']} files, {evidence['absent']} not there, {evidence['moved']} counters moved: {path}"
        return {"changed": False, "path": str(path), **evidence, "msg": text}

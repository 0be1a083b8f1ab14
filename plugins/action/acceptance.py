# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of a sweep as tasks: begin, look, plan, measure a block of rounds, report, judge.

Two steps call nodes, with the node module as it is. It deliberately keeps what nodes answer in files of the sweep's
folder: a node that is lost half way takes nothing along.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ansible import context
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

try:
    from raceway import bundle
    from raceway.acceptance import declared, matrix, store, words, work
    from raceway.acceptance.verdict import PASSED
    from raceway.errors import RacewayError

    bundle.build()  # in the parent: forked workers inherit it
    VARIABLES = declared.variables()
except ImportError as problem:  # ansible-playbook of another environment than the one `make setup` made
    raise AnsibleActionFail(f"the raceway package is missing: {problem}; next: run `make setup`") from problem
STEPS = ("begin", "look", "plan", "measure", "report", "judge")
OPTIONS = {
    "step": {"type": "str", "choices": list(STEPS), "required": True},
    "folder": {"type": "path", "default": "out/acceptance"},
    "rounds": {"type": "list", "elements": "int", "default": []},
}


class ActionModule(ActionBase):
    """Nothing of a node changes in any step; check mode looks and plans, and measures nothing."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Carry out one step."""
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, options = self.validate_argument_spec(OPTIONS)
        try:
            step = getattr(self, f"_{options['step']}")
            return {"changed": False, **step(Path(options["folder"]), options["rounds"], variables)}
        except RacewayError as error:
            raise AnsibleActionFail(error.message()) from None
        except OSError as error:
            raise AnsibleActionFail(f"{error.filename}: {error.strerror}; next: give it room and rights") from None

    def _begin(self, folder: Path, _rounds: list[int], variables: dict[str, Any]) -> dict[str, Any]:
        hosts, forks = len(variables["ansible_play_hosts"]), int(context.CLIARGS["forks"])
        if forks < hosts:
            allowed = f"at least {hosts}: both ends of every pair must run at the same time"
            raise RacewayError("forks", str(forks), allowed, f"run it again with --forks {hosts}, or with --limit")
        path = store.new(str(self._templar.template(variables.get("acceptance_folder", str(folder)))), time.time())
        return {"folder": str(path), "msg": f"results: {path}"}

    def _look(self, folder: Path, _rounds: list[int], variables: dict[str, Any]) -> dict[str, Any]:
        host = variables["inventory_hostname"]
        given = {name: self._templar.template(variables[name]) for name in VARIABLES if name in variables}
        own = declared.from_given(given, host)
        rows: list[dict[str, Any]] = []
        if own.ports:
            wanted = [{"rail": p.rail, "address": p.address, "transport": own.settings.transport} for p in own.ports]
            answer = self._call({"step": "look", "ports": wanted}, variables)
            if "pairwise" not in answer:
                return answer
            rows = answer["pairwise"]
        out = store.keep_look(folder, own, rows)
        told = [f"{one.name}: {one.reason}" for one in out]
        ready = len(own.ports) + len(own.left_out) - len(out)
        return {"msg": "; ".join([f"{ready} port{'' if ready == 1 else 's'} ready", *told])}

    def _plan(self, folder: Path, _rounds: list[int], variables: dict[str, Any]) -> dict[str, Any]:
        sweep = store.plan(folder, variables["ansible_play_hosts_all"])
        blocks = [] if self._task.check_mode else [list(block) for block in sweep.blocks]
        return {"blocks": blocks, "msg": "\n    ".join(words.plan(sweep))}

    def _measure(self, folder: Path, rounds: list[int], variables: dict[str, Any]) -> dict[str, Any]:
        host, (first, end) = variables["inventory_hostname"], rounds
        sweep = store.load(folder)
        dead = set(sweep.hosts) - set(variables["ansible_play_hosts"])
        request = work.block(sweep, host, first, end, dead)
        rows = work.given_up(sweep, host, first, end, dead)
        if request["lanes"]:
            answer = self._call(request, variables)
            if "pairwise" not in answer:
                return answer
            rows += answer["pairwise"]
        if not rows:
            return {"skipped": True}
        store.keep_answer(folder, host, first, rows)
        return {"msg": words.progress(first, end, sweep.rounds, rows)}

    def _report(self, folder: Path, _rounds: list[int], _variables: dict[str, Any]) -> dict[str, Any]:
        sweep, cells, verdict = store.conclude(folder)
        text = f"{words.result(sweep, verdict)}\n{matrix.text(sweep, cells, verdict.named)}"
        return {"verdict": verdict.word, "path": str(folder / "fabric.json"), "msg": text}

    def _judge(self, folder: Path, _rounds: list[int], _variables: dict[str, Any]) -> dict[str, Any]:
        sweep, _, verdict = store.conclude(folder)
        lines = [words.result(sweep, verdict), *(one.message() for one in verdict.findings)]
        result = {"verdict": verdict.word, "path": str(folder / "fabric.json"), "msg": "\n    ".join(lines)}
        return result if verdict.word == PASSED else {**result, "failed": True}

    def _call(self, wanted: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        def send(arguments: dict[str, Any]) -> dict[str, Any]:
            return dict(self._execute_module("raceway.raceway.node", arguments, task_vars=variables))

        return bundle.ask(send, {"mode": "pairwise", "pairwise": wanted})

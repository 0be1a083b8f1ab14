"""No-op converge, first converge and drift report of the 60-setting baseline, raceway and its peers in turn.

All tools work on the same nodes in one run, in rounds (ABAB); a third script reads the end state of every first converge
and of every no-op round; drift reports must name the six drifted settings of each node and nothing else. It
deliberately refuses to start on a busy machine, since a busy machine measures itself.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.lab import Lab

from . import meters, peers
from .b60 import settings
from .peers import B60, Tool

REPEATS, SLOW_REPEATS = 5, 3


@dataclass
class Bench:
    """One size: so many nodes of one lab, the tools, and every cost measured."""

    work: Path
    ssh_config: Path
    names: list[str]
    containers: list[meters.Container]
    tools: list[Tool]
    limit: float
    force: bool
    repeats: tuple[int, int] = (REPEATS, SLOW_REPEATS)
    costs: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    loads: list[float] = field(default_factory=list)

    def run(self, tasks: Sequence[str]) -> None:
        """Measure the tasks in order; the first converge also brings the nodes into every tool's no-op state."""
        self.everywhere("prepare")
        if "first" in tasks:
            self._rounds("first", self._first)
        self._settle()
        if "noop" in tasks:
            self._rounds("noop", self._noop)
        if "drift" in tasks:
            self.everywhere("drift")
            self._rounds("drift", self._drift)
        self.everywhere("reset")

    def everywhere(self, what: str) -> None:
        """Prepare, reset or drift all nodes."""
        self._each_node((B60 / "node.py").read_text(), what)

    def expect(self, right: int, when: str) -> None:
        """Fail unless the oracle finds exactly so many settings as declared on every node."""
        for name, answer in zip(self.names, self._each_node((B60 / "oracle.py").read_text()), strict=True):
            found = json.loads(answer)
            if found["right"] != right:
                wrong = ", ".join(found["wrong"][:8])
                raise RacewayError(f"{name} {when}", f"{found['right']} of 60 as declared; not: {wrong}", str(right))

    def _rounds(self, task: str, work: Callable[[Tool], meters.Cost]) -> None:
        for number in range(max(self.repeats)):
            for tool in self.tools:
                if (
                    number >= self.repeats[tool.slow]
                    or (tool.reference and task != "noop")
                    or (task == "first" and tool.name == "site")
                ):
                    continue
                self.loads.append(meters.refuse_load(self.limit, self.force) if number == 0 else os.getloadavg()[0])
                cost = work(tool)
                if cost.rc:
                    log = self.work / f"{task}-{tool.name}.log"
                    log.write_text(cost.out)
                    raise RacewayError(f"{task} by {tool.label}", f"exit {cost.rc}", "0", f"read {log}")
                kept = {key: getattr(cost, key) for key in ("wall", "controller_cpu", "node_cpu", "wire_bytes")}
                self.costs.setdefault(task, {}).setdefault(tool.name, []).append(kept)
                print(
                    f"{len(self.names):3} nodes  {task:5}  round {number + 1}  {tool.label:26} {cost.wall:7.2f} s",
                    flush=True,
                )

    def _settle(self) -> None:
        """Let every tool make its own no-op state, so that all may be measured on the same nodes without a reset."""
        self.everywhere("reset")
        for tool in self.tools:
            if not tool.reference and tool.name != "mitogen":
                self._call(tool, tool.converge)
        self.expect(60, "after all tools have converged it")

    def _first(self, tool: Tool) -> meters.Cost:
        self.everywhere("reset")
        self.expect(0, "after the reset")
        cost = self._call(tool, tool.converge)
        if not cost.rc:
            self.expect(60, f"after the first converge by {tool.label}")
        return cost

    def _noop(self, tool: Tool) -> meters.Cost:
        cost = self._call(tool, tool.converge)
        if not tool.reference and tool.name != "pyinfra" and not cost.rc and self._record():
            raise RacewayError(f"no-op by {tool.label}", f"changes {self._record()[:3]}", "no change")
        return cost

    def _drift(self, tool: Tool) -> meters.Cost:
        cost = self._call(tool, tool.drift)
        found = peers.reported(tool, cost.out, self.work) if not cost.rc else {}
        wanted = set(settings.DRIFT.values())
        for name in self.names if not cost.rc else ():
            if found.get(name, set()) != wanted:
                different = ", ".join(sorted(found.get(name, set()) ^ wanted))
                raise RacewayError(
                    f"drift of {name} by {tool.label}", f"missed or false: {different}", "6 of 6, 0 false"
                )
        return cost

    def _record(self) -> list[Any]:
        rows: list[Any] = json.loads((self.work / "record.json").read_text())
        return rows

    def _call(self, tool: Tool, command: Sequence[str]) -> meters.Cost:
        """Run a tool as on a first contact of the day: no ssh session is left of an earlier run."""
        folder = peers.control_folder(tool)
        folder.mkdir(parents=True, exist_ok=True)
        (self.work / "record.json").unlink(missing_ok=True)
        try:
            return meters.measure(command, peers.environment(tool, self.work), self.work, self.containers)
        finally:
            for socket in folder.iterdir():
                subprocess.run(
                    ["ssh", "-o", f"ControlPath={socket}", "-O", "exit", "none"], capture_output=True, check=False
                )

    def _each_node(self, script: str, *arguments: str) -> list[str]:
        given = (self.work / "b60.json").read_text()
        remote = shlex.join(["python3", "-c", script, *arguments])

        def one(name: str) -> str:
            command = ["ssh", "-F", str(self.ssh_config), "-o", "ControlPath=none", name, remote]
            done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode:
                raise RacewayError(
                    f"{name}: {' '.join(arguments)}", done.stderr.strip()[-300:] or f"exit {done.returncode}"
                )
            return done.stdout

        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(one, self.names))


def bench(
    lab: Lab,
    count: int,
    work: Path,
    *,
    tasks: Sequence[str],
    only: Sequence[str],
    limit: float,
    force: bool,
    repeats: tuple[int, int],
) -> dict[str, Any]:
    """Measure the first ``count`` nodes of a lab that is up; return the result as written to out/bench."""
    inventory = json.loads(lab.inventory_path.read_text())["_meta"]["hostvars"]
    record = lab.record
    assert record is not None
    nodes = record.nodes[:count]
    ways = ("ansible_host", "ansible_user", "ansible_ssh_common_args", "ansible_python_interpreter")
    rows = [{"name": node.name, "variables": {key: inventory[node.name][key] for key in ways}} for node in nodes]
    peers.write_inputs(work, rows, lab.folder / "ssh")
    tools = [tool for tool in peers.tools(work, count) if not only or tool.name in only]
    found = Bench(
        work,
        lab.ssh_config,
        [node.name for node in nodes],
        meters.containers([node.container for node in nodes]),
        tools,
        limit,
        force,
        repeats,
    )
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        found.run(tasks)
    finally:
        shutil.rmtree(peers.control_folder(tools[0]).parent, ignore_errors=True)
    return {
        "nodes": count,
        "started": started,
        "versions": peers.versions(),
        "cores": os.cpu_count(),
        "load": {"least": min(found.loads), "most": max(found.loads), "limit": limit, "forced": force},
        "labels": {tool.name: tool.label for tool in tools},
        "costs": found.costs,
    }

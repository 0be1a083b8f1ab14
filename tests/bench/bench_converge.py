"""No-op converge, first converge and drift report of the 60-setting baseline, raceway and its peers in turn.

All tools work on the same nodes in one run, in rounds (ABAB). A tool's turn: the nodes are reset, its first converge,
its no-op, its report of six settings broken by hand. A third script reads the state after the reset and after each
converge; a no-op must change nothing and a report must name those six and nothing else. It deliberately refuses to
start on a busy machine, since a busy machine measures itself.
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
    repeats: tuple[int, int]
    after_a_turn: Callable[[Bench], None]
    costs: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    loads: list[float] = field(default_factory=list)

    def run(self, tasks: Sequence[str]) -> None:
        """Measure ``tasks`` (first, noop, drift) of every tool in rounds; a first converge is done in any case."""
        self.everywhere("prepare")
        for number in range(max(self.repeats)):
            for tool in self.tools:
                if number < self.repeats[tool.slow]:
                    self.loads.append(meters.refuse_load(self.limit, self.force) if not number else os.getloadavg()[0])
                    self._turn(tool, tasks, number)
                    self.after_a_turn(self)
        self.everywhere("reset")

    def _turn(self, tool: Tool, tasks: Sequence[str], number: int) -> None:
        if not tool.reference:
            self.everywhere("reset")
            self.expect(0, "after the reset")
            self._keep("first", tool, self._call("first", tool, tool.converge), number)
            self.expect(60, f"after the first converge by {tool.label}")
        if "noop" in tasks:
            self._keep("noop", tool, self._noop(tool), number)
        if "again" in tasks and tool.keeps_sessions:
            self._call("again", tool, tool.converge, close=False)
            self._keep("again", tool, self._noop(tool), number)
        if "drift" in tasks and tool.drift:
            self.everywhere("drift")
            self._keep("drift", tool, self._drift(tool), number)

    def _noop(self, tool: Tool) -> meters.Cost:
        cost = self._call("noop", tool, tool.converge)
        if not tool.reference:
            changed = peers.changed(tool, cost.out, self.work)
            if changed:
                raise RacewayError(f"no-op by {tool.label}", f"changes {changed[:3]}", "no change")
            self.expect(60, f"after the no-op by {tool.label}")
        return cost

    def _drift(self, tool: Tool) -> meters.Cost:
        cost = self._call("drift", tool, tool.drift)
        found = peers.reported(tool, cost.out, self.work)
        wanted = set(settings.DRIFT.values())
        for name in self.names:
            if found.get(name, set()) != wanted:
                different = ", ".join(sorted(found.get(name, set()) ^ wanted))
                place = f"drift of {name} by {tool.label}"
                raise RacewayError(place, f"missed or false: {different}", "6 of 6, 0 false")
        return cost

    def _keep(self, task: str, tool: Tool, cost: meters.Cost, number: int) -> None:
        kept = {key: getattr(cost, key) for key in ("wall", "controller_cpu", "node_cpu", "wire_bytes")}
        self.costs.setdefault(task, {}).setdefault(tool.name, []).append(kept)
        where = f"{len(self.names):3} nodes  round {number + 1}"
        print(f"{where}  {task:5}  {tool.label:26} {cost.wall:7.2f} s", flush=True)

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

    def _call(self, task: str, tool: Tool, command: Sequence[str], close: bool = True) -> meters.Cost:
        """Run a tool; ``close`` ends the ssh sessions it keeps, so that the next run is a first contact again."""
        folder = peers.control_folder(tool)
        folder.mkdir(parents=True, exist_ok=True)
        (self.work / "record.json").unlink(missing_ok=True)
        cost = meters.measure(command, peers.environment(tool, self.work), self.work, self.containers)
        for socket in folder.iterdir() if close else ():
            close = ["ssh", "-o", f"ControlPath={socket}", "-O", "exit", "none"]
            subprocess.run(close, capture_output=True, check=False)
        if cost.rc:
            log = self.work / f"{task}-{tool.name}.log"
            log.write_text(cost.out)
            raise RacewayError(f"{task} by {tool.label}", f"exit {cost.rc}", "0", f"read {log}")
        return cost

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
    save: Callable[[dict[str, Any]], None],
    *,
    tasks: Sequence[str],
    only: Sequence[str],
    limit: float,
    force: bool,
    repeats: tuple[int, int],
) -> None:
    """Measure the first ``count`` nodes of a lab that is up; ``save`` gets the result so far after each tool's turn."""
    inventory = json.loads(lab.inventory_path.read_text())["_meta"]["hostvars"]
    record = lab.record
    assert record is not None
    nodes = record.nodes[:count]
    ways = ("ansible_host", "ansible_user", "ansible_ssh_common_args", "ansible_python_interpreter")
    rows = [{"name": node.name, "variables": {key: inventory[node.name][key] for key in ways}} for node in nodes]
    peers.write_inputs(work, rows, lab.folder / "ssh")
    tools = [tool for tool in peers.tools(work, count) if not only or tool.name in only]
    head = {
        "nodes": count,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "versions": peers.versions(),
        "cores": os.cpu_count(),
        "labels": {tool.name: tool.label for tool in tools},
    }

    def after_a_turn(bench: Bench) -> None:
        load = {"least": min(bench.loads), "most": max(bench.loads), "limit": limit, "forced": force}
        save({**head, "load": load, "costs": bench.costs})

    names, places = [node.name for node in nodes], meters.containers([node.container for node in nodes])
    found = Bench(work, lab.ssh_config, names, places, tools, limit, force, repeats, after_a_turn)
    try:
        found.run(tasks)
    finally:
        shutil.rmtree(peers.control_folder(tools[0]).parent, ignore_errors=True)
        meters.close()

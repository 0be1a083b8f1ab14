"""The steps of a sweep as an action plugin: the playbook's order, with nodes that answer from a function."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ansible import context
from ansible.errors import AnsibleActionFail
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible.utils.context_objects import CLIArgs

FILE = Path(__file__).parents[4] / "plugins" / "action" / "acceptance.py"
HOSTS = ["a", "b", "c"]


def plugin() -> ModuleType:
    """Load the plugin from its file, as Ansible does."""
    spec = importlib.util.spec_from_file_location("acceptance_action", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Nodes:
    """Three nodes: what they are asked, and how fast each sends."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, forks: int = 5) -> None:
        self.folder, self.module = folder, plugin()
        self.alive, self.slow, self.calls = list(HOSTS), "", 0
        monkeypatch.setattr(context, "CLIARGS", CLIArgs({"forks": forks}))

    def step(self, step: str, host: str = "a", check: bool = False, **args: Any) -> dict[str, Any]:
        """Run one step on one host."""
        task = SimpleNamespace(
            args={"step": step, **args}, async_val=0, check_mode=check, diff=False, action="acceptance"
        )
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
        loader = DataLoader()
        variables = {
            "inventory_hostname": host,
            "ansible_play_hosts": self.alive,
            "ansible_play_hosts_all": HOSTS,
            "acceptance_folder": str(self.folder),
            "acceptance_line_rate_gbps": 400,
            "acceptance_measures": ["bandwidth"],
            "acceptance_ports": [{"rail": 0, "address": f"10.0.0.{HOSTS.index(host) + 1}"}],
        }
        action = self.module.ActionModule(task, connection, None, loader, Templar(loader, variables=variables), None)
        action._execute_module = lambda name, arguments, task_vars: self.answer(host, arguments["request"]["pairwise"])
        result: dict[str, Any] = action.run(task_vars=variables)
        return result

    def answer(self, host: str, request: dict[str, Any]) -> dict[str, Any]:
        """Answer as the module node does."""
        self.calls += 1
        if request["step"] == "look":
            found = {"interface": "e", "device": "mlx5_0", "problem": "", "tools": ["ib_write_bw"], "rate_gbps": 400.0}
            return {"pairwise": [{"rail": row["rail"], **found} for row in request["ports"]]}
        rows = [
            {"rail": 0, "round": match["round"], "measure": "bandwidth", "sends": slot["sends"], "problem": ""}
            | {"value": (40.0 if host == self.slow else 390.0) if slot["sends"] else None}
            for match in request["lanes"][0]["matches"]
            for slot in match["slots"]
        ]
        return {"pairwise": rows}

    def sweep(self) -> tuple[str, dict[str, Any]]:
        """Run all steps; return the folder and what the last one said."""
        folder = self.step("begin")["folder"]
        for host in HOSTS:
            self.step("look", host, folder=folder)
        for block in self.step("plan", folder=folder)["blocks"]:
            for host in self.alive:
                self.step("measure", host, folder=folder, rounds=block)
        return folder, self.step("judge", folder=folder)


def test_a_fabric_that_is_well_passes_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, judged = Nodes(tmp_path, monkeypatch).sweep()
    assert "failed" not in judged and judged["verdict"] == "passed" and judged["changed"] is False
    assert Path(judged["path"]) == Path(folder) / "fabric.json" and Path(judged["path"]).exists()


def test_the_odd_node_fails_the_last_step_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = Nodes(tmp_path, monkeypatch)
    nodes.slow = "b"
    folder, judged = nodes.sweep()
    assert judged["failed"] and "b rail 0: it sends too slowly: 2 of 2 measurements" in judged["msg"]
    shown = nodes.step("report", folder=folder)
    assert "failed" not in shown and "!40" in shown["msg"]


def test_a_node_that_is_lost_on_the_way_is_waited_for_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = Nodes(tmp_path, monkeypatch)
    nodes.alive = ["a", "b"]
    _, judged = nodes.sweep()
    assert judged["failed"] and judged["verdict"] == "incomplete" and "no answer from c" in judged["msg"]


def test_check_mode_looks_and_plans_and_measures_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = Nodes(tmp_path, monkeypatch)
    folder = nodes.step("begin", check=True)["folder"]
    for host in HOSTS:
        nodes.step("look", host, check=True, folder=folder)
    planned = nodes.step("plan", check=True, folder=folder)
    assert planned["blocks"] == [] and "3 pairs in 3 rounds" in planned["msg"] and nodes.calls == 3


def test_fewer_forks_than_nodes_are_refused_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AnsibleActionFail, match="forks: 2; allowed: at least 3: both ends"):
        Nodes(tmp_path, monkeypatch, forks=2).step("begin")
    assert list(tmp_path.iterdir()) == []


def test_a_node_whose_call_fails_keeps_its_own_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = Nodes(tmp_path, monkeypatch)
    folder = nodes.step("begin")["folder"]
    monkeypatch.setattr(nodes, "answer", lambda host, request: {"failed": True, "msg": "Python 3.7 on this node"})
    assert nodes.step("look", folder=folder) == {"changed": False, "failed": True, "msg": "Python 3.7 on this node"}

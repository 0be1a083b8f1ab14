"""The action that stops a play before its first change: what it returns, and that it needs no connection."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail
from ansible.parsing.dataloader import DataLoader

FILE = Path(__file__).parents[4] / "plugins" / "action" / "inventory_check.py"


def plugin() -> ModuleType:
    """Load the plugin from its file, as Ansible does."""
    spec = importlib.util.spec_from_file_location("inventory_check_action", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(path: Path | str, **args: Any) -> dict[str, Any]:
    """Run the action over an inventory, as a task of a play that was started with it."""
    task = SimpleNamespace(args=args, async_val=0, check_mode=False, diff=False, action="inventory_check")
    # A connection that has no way to reach anything: the action must not want one.
    connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
    action = plugin().ActionModule(task, connection, None, DataLoader(), None, None)
    result: dict[str, Any] = action.run(task_vars={"ansible_inventory_sources": [str(path)]})
    return result


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """Where the tests write their inventory."""
    return tmp_path / "hosts.yml"


def test_a_right_inventory_lets_the_play_go_on(hosts: Path) -> None:
    hosts.write_text("nodes: {hosts: {a: , b: }}", encoding="utf-8")
    result = run(hosts)
    assert (result["changed"], result["hosts"], result["findings"]) == (False, 2, [])
    assert "failed" not in result


def test_a_wrong_one_fails_with_every_error_and_its_place(hosts: Path) -> None:
    hosts.write_text("nodes:\n  hosts:\n    a:\n      node_cpus: x\n      node_rak: y\n", encoding="utf-8")
    result = run(hosts)
    assert result["failed"]
    assert result["msg"].startswith("2 errors in the inventory, nothing was changed:")
    assert [row["line"] for row in result["findings"]] == [4, 5]
    assert "hosts.yml:4: node_cpus" in result["msg"]
    assert "hosts.yml:5: node_rak" in result["msg"]


def test_warnings_are_told_and_let_the_play_go_on(hosts: Path) -> None:
    hosts.write_text("nodes: {hosts: {n1.east.example: , n1.west.example: }}", encoding="utf-8")
    result = run(hosts)
    assert "failed" not in result
    assert "short name n1" in result["warnings"][0]


def test_a_limit_looks_at_some_hosts_only(hosts: Path) -> None:
    hosts.write_text("nodes: {hosts: {a: {node_cpus: x}, b: }}", encoding="utf-8")
    assert "failed" not in run(hosts, limit="b")
    assert run(hosts, limit="a")["failed"]


def test_other_sources_than_the_plays_can_be_named(hosts: Path) -> None:
    hosts.write_text("nodes: {hosts: {a: }}", encoding="utf-8")
    assert run("/nowhere", sources=[str(hosts)])["hosts"] == 1


def test_an_unreadable_inventory_is_one_message(hosts: Path) -> None:
    hosts.write_text("nodes: [\n", encoding="utf-8")
    with pytest.raises(AnsibleActionFail, match=r"hosts\.yml"):
        run(hosts)

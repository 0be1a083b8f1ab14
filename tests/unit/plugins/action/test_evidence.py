"""The action that gathers evidence: one call, a second one only where the node lacks the bundle, one file."""

from __future__ import annotations

import base64
import importlib.util
import stat
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

FILE = Path(__file__).parents[4] / "plugins" / "action" / "evidence.py"
ANSWER = {"archive": base64.b64encode(b"the bundle").decode(), "bytes": 10, "items": 3, "absent": 2, "moved": 1}


def plugin() -> ModuleType:
    """Load the plugin from its file, as Ansible does."""
    spec = importlib.util.spec_from_file_location("evidence_action", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(answers: list[dict[str, Any]], check: bool = False, **variables: Any) -> tuple[dict[str, Any], list[Any]]:
    """Run the action with a node that gives these answers; return the result and what it was sent."""
    task = SimpleNamespace(args={}, async_val=0, check_mode=check, diff=False, action="evidence")
    connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
    loader = DataLoader()
    action = plugin().ActionModule(task, connection, None, loader, Templar(loader=loader), None)
    sent: list[Any] = []

    def execute(name: str, arguments: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        sent.append((name, dict(arguments)))
        return answers[len(sent) - 1]

    action._execute_module = execute
    return action.run(task_vars={"inventory_hostname": "gpu01", **variables}), sent


def test_a_bundle_is_written_for_its_owner_alone_and_nothing_has_changed(tmp_path: Path) -> None:
    result, sent = run([{"evidence": dict(ANSWER)}], diagnose_folder=str(tmp_path / "out"))
    (path,) = (tmp_path / "out").iterdir()
    assert path.read_bytes() == b"the bundle" and path.name.startswith("gpu01-")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (result["changed"], result["path"]) == (False, str(path))
    assert result["msg"].startswith("3 files, 2 not there, 1 counters moved: ")
    assert "archive" not in result, "the bundle must not be in the task's result"
    assert [name for name, _ in sent] == ["raceway.raceway.node"]
    assert sent[0][1]["request"]["mode"] == "evidence"


def test_a_node_without_the_program_is_sent_it_once(tmp_path: Path) -> None:
    answers = [{"bundle_missing": True}, {"evidence": dict(ANSWER)}]
    _, sent = run(answers, diagnose_folder=str(tmp_path))
    assert ["archive" in arguments for _, arguments in sent] == [False, True]


def test_check_mode_gathers_as_well(tmp_path: Path) -> None:
    run([{"evidence": dict(ANSWER)}], check=True, diagnose_folder=str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_node_that_fails_says_why_and_no_file_is_written(tmp_path: Path) -> None:
    result, _ = run([{"failed": True, "msg": "permission denied"}], diagnose_folder=str(tmp_path))
    assert result["failed"] and list(tmp_path.iterdir()) == []


def test_wrong_variables_fail_before_the_node_is_contacted(tmp_path: Path) -> None:
    with pytest.raises(AnsibleActionFail, match="diagnose_interval_s"):
        run([], diagnose_folder=str(tmp_path), diagnose_interval_s=0)


def test_a_folder_that_cannot_be_written_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AnsibleActionFail, match="the bundle cannot be written"):
        run([{"evidence": dict(ANSWER)}], diagnose_folder=str(tmp_path / "file"))

"""The module as it is sent: one file without Ansible imports that finds, unpacks or asks for the bundle."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from raceway import bundle

MODULE = Path(__file__).parents[4] / "plugins" / "modules" / "node.py"
MARKER = "<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"
TEXT = MODULE.read_text(encoding="utf-8")
EXEC = pytest.mark.allow("exec", reason="the module is a program of its own, started as Ansible starts it")


def run(folder: Path, **arguments: Any) -> Any:
    """Start the module with its arguments in place, as Ansible does, and return its answer."""
    program = folder / "node.py"
    program.write_text(TEXT.replace(MARKER, json.dumps(arguments)), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_marker_of_its_arguments_stands_once_in_a_raw_string() -> None:
    assert TEXT.count(MARKER) == 1
    assert f'r"""{MARKER}"""' in TEXT


def test_json_of_any_text_is_safe_in_that_string() -> None:
    nasty = {"a": '"""\\', "b": "\n'\u2028ü", "c": "\\u0041"}
    source = f'r"""{json.dumps(nasty)}"""'
    assert json.loads(ast.literal_eval(source)) == nasty


def test_it_imports_nothing_of_ansible_and_is_syntax_that_an_old_python_reads() -> None:
    # A node with an older Python must get the message about it instead of a syntax error.
    for node in ast.walk(ast.parse(TEXT, feature_version=(3, 4))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert not [name for name in names if name.startswith("ansible")]
        assert not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ansible"))
        assert not isinstance(node, ast.JoinedStr)


@EXEC
def test_a_node_without_the_bundle_asks_for_it(tmp_path: Path) -> None:
    answer = run(tmp_path, home=str(tmp_path / "home"), bundle="0" * 20, request={"mode": "apply", "roles": {}})
    assert answer == {"bundle_missing": True}


@EXEC
def test_a_plan_from_the_archive_leaves_no_trace(tmp_path: Path) -> None:
    made = bundle.build()
    home = tmp_path / "home"
    request = {"mode": "plan", "roles": {}}
    answer = run(tmp_path, home=str(home), bundle=made.digest, archive=made.archive, request=request)
    assert answer == {"roles": {}, "applied": [], "refused": [], "remaining": [], "reboots": []}
    assert not home.exists()


@EXEC
def test_a_bad_request_comes_back_as_one_message(tmp_path: Path) -> None:
    made = bundle.build()
    request = {"mode": "destroy", "roles": {}}
    answer = run(tmp_path, home=str(tmp_path / "home"), bundle=made.digest, archive=made.archive, request=request)
    assert answer["failed"] is True
    assert "allowed: plan, apply, verify" in answer["msg"]


@EXEC
def test_an_installed_bundle_is_used_without_sending_it_again(tmp_path: Path) -> None:
    from raceway.node.call import install

    made = bundle.build()
    install(str(tmp_path / "home"), made.digest, made.archive)
    request = {"mode": "verify", "explain": False, "roles": {}}
    answer = run(tmp_path, home=str(tmp_path / "home"), bundle=made.digest, request=request)
    assert answer["roles"] == {}

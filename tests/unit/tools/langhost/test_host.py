"""The language host chooses the interpreter the project asks for and hands a program its whole order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import language_pb2

from raceway.tools.langhost import children, environment, host


def make_info(root: Path, **options: Any) -> Any:
    values = struct_pb2.Struct()
    values.update(options)
    return language_pb2.ProgramInfo(
        root_directory=str(root), program_directory=str(root / "program"), entry_point=".", options=values
    )


def test_without_an_option_the_hosts_own_interpreter_runs_the_program(tmp_path: Path) -> None:
    assert environment.interpreter(make_info(tmp_path)) == sys.executable
    assert environment.interpreter(language_pb2.ProgramInfo()) == sys.executable


def test_a_named_virtualenv_is_taken_from_the_projects_folder(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    assert environment.interpreter(make_info(tmp_path, virtualenv="venv")) == str(python)


def test_a_virtualenv_that_is_not_there_is_named_with_the_next_act(tmp_path: Path) -> None:
    with pytest.raises(environment.Refused, match=r"options\.virtualenv: .*/venv has no bin/python; next: run"):
        environment.interpreter(make_info(tmp_path, virtualenv="venv"))


def test_the_order_holds_configuration_secrets_and_settings(tmp_path: Path) -> None:
    request = language_pb2.RunRequest(
        project="p",
        stack="s",
        pwd=str(tmp_path),
        config={"p:a": "1"},
        configSecretKeys=["p:a"],
        dryRun=True,
        parallel=8,
        monitor_address="127.0.0.1:1",
        info=make_info(tmp_path),
        args=["x"],
    )
    order = host.Host("127.0.0.1:2")._order(request)
    assert order["program"] == str(tmp_path / "program")
    assert (order["config"], order["secret_keys"], order["args"]) == ({"p:a": "1"}, ["p:a"], ["x"])
    assert order["settings"] == {
        "monitor": "127.0.0.1:1",
        "engine": "127.0.0.1:2",
        "project": "p",
        "stack": "s",
        "parallel": 8,
        "dry_run": True,
        "organization": "",
        "root_directory": str(tmp_path),
    }


def test_nothing_is_started_after_a_cancel() -> None:
    started = children.Children()
    started.cancel()
    with pytest.raises(environment.Refused, match="cancelled"):
        started.start(["true"])


@pytest.mark.parametrize("refused", ["no such virtualenv"])
def test_a_refusal_ends_the_call_with_its_reason(refused: str) -> None:
    class Context:
        def abort(self, code: object, text: str) -> None:
            raise RuntimeError(f"{code} {text}")

    def act() -> None:
        raise environment.Refused(refused)

    with pytest.raises(RuntimeError, match=rf"FAILED_PRECONDITION {refused}"):
        host.guarded(Context(), act)

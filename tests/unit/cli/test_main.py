"""``raceway``: one message and an exit code for every way a subcommand can end, and nothing imported in vain."""

from __future__ import annotations

import argparse
import errno
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from raceway.cli import main as cli
from raceway.errors import RacewayError

End = Callable[[argparse.Namespace], int]
# Imported here, outside the guard of a running test: Ansible asks the system's linker about itself on import.
FOUND = [importlib.import_module(f"raceway.cli.{file.stem}") for file in sorted(Path(cli.__file__).parent.glob("*.py"))]
SUBCOMMANDS = {module.__name__.rsplit(".")[-1]: module for module in FOUND if hasattr(module, "configure")}


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Callable[[End], None]:
    """Give ``raceway probe-me`` an end of the test's choice."""

    def choose(end: End) -> None:
        module = ModuleType("raceway.cli.probe_me")
        module.configure = lambda parser: parser.add_argument("--loud", action="store_true")  # type: ignore[attr-defined]
        module.run = end  # type: ignore[attr-defined]
        module.__spec__ = importlib.util.find_spec("raceway.cli.tools")
        monkeypatch.setitem(sys.modules, "raceway.cli.probe_me", module)
        monkeypatch.setitem(cli.COMMANDS, "probe_me", "does what the test says")

    return choose


def raising(error: BaseException) -> End:
    def end(args: argparse.Namespace) -> int:
        raise error

    return end


@pytest.mark.parametrize("code", [0, 1])
def test_the_code_of_the_subcommand_is_the_exit_code(code: int, ends: Callable[[End], None]) -> None:
    ends(lambda args: code)
    assert cli.main(["probe_me"]) == code


def test_the_subcommand_gets_the_options_it_configured(ends: Callable[[End], None]) -> None:
    ends(lambda args: 7 if args.loud else 0)
    assert cli.main(["probe_me", "--loud"]) == 7


def test_bad_input_is_one_line_without_a_traceback(
    ends: Callable[[End], None], capsys: pytest.CaptureFixture[str]
) -> None:
    ends(raising(RacewayError("group_vars/all.yml:3", "node_cpus: 'x'", "a number", "correct the line")))
    assert cli.main(["probe_me"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    expected = "group_vars/all.yml:3: node_cpus: 'x'; allowed: a number; next: correct the line"
    assert said.err == f"raceway probe_me: {expected}\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_what_the_system_refuses_is_one_line_naming_the_file(
    number: int, ends: Callable[[End], None], capsys: pytest.CaptureFixture[str]
) -> None:
    ends(raising(OSError(number, "the system's words", "/etc/x")))
    assert cli.main(["probe_me"]) == 2
    assert capsys.readouterr().err.startswith("raceway probe_me: /etc/x: the system's words")


def test_an_error_of_ours_keeps_its_traceback(ends: Callable[[End], None]) -> None:
    ends(raising(KeyError("a mistake in raceway itself")))
    with pytest.raises(KeyError):
        cli.main(["probe_me"])


def test_ctrl_c_says_how_to_go_on(ends: Callable[[End], None], capsys: pytest.CaptureFixture[str]) -> None:
    ends(raising(KeyboardInterrupt()))
    assert cli.main(["probe_me"]) == 130
    assert "run the same command again" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["nothing-of-ours"], ["tools", "--no-such-option"]])
def test_a_wrong_call_is_exit_code_2_with_the_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    assert "usage: raceway" in capsys.readouterr().err


def test_help_names_every_subcommand_and_imports_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, package: str | None = None) -> ModuleType:
        raise AssertionError(f"imports {name}")

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(name in said for name in cli.COMMANDS)


def test_the_table_names_exactly_the_subcommands_there_are() -> None:
    assert set(cli.COMMANDS) == set(SUBCOMMANDS)


@pytest.mark.parametrize("name", sorted(SUBCOMMANDS))
def test_every_subcommand_keeps_the_contract(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.COMMANDS[name] == SUBCOMMANDS[name].HELP
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: raceway {name}" in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out.startswith("raceway ")

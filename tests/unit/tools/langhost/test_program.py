"""Errors of a user's program come out as a user can use them."""

from __future__ import annotations

import runpy
from pathlib import Path

from raceway.errors import RacewayError
from raceway.tools.langhost import program


def failing(folder: Path, body: str) -> tuple[Exception, str]:
    (folder / "helper.py").write_text("def half(x):\n    return 1 // x\n")
    (folder / "__main__.py").write_text(body)
    try:
        runpy.run_path(str(folder), run_name="__main__")
    except Exception as error:
        return error, str(folder)
    raise AssertionError("the program did not fail")


def test_a_traceback_starts_at_the_users_own_file(tmp_path: Path) -> None:
    error, folder = failing(tmp_path, "def outer():\n    return 1 // 0\nouter()\n")
    text = program.explain(error, folder)
    files = [line for line in text.splitlines() if line.lstrip().startswith("File ")]
    assert len(files) == 2 and all(str(tmp_path / "__main__.py") in line for line in files)
    assert "runpy" not in text
    assert text.rstrip().endswith("ZeroDivisionError: integer division or modulo by zero")


def test_frames_below_the_users_file_are_kept(tmp_path: Path) -> None:
    error, folder = failing(tmp_path, "import helper\nhelper.half(0)\n")
    text = program.explain(error, folder)
    assert "__main__.py" in text and "helper.py" in text


def test_a_raceway_error_is_its_one_message(tmp_path: Path) -> None:
    error = RacewayError("Pulumi.lab.yaml: queues", "2 roots", "1", "remove one")
    assert program.explain(error, str(tmp_path)) == "Pulumi.lab.yaml: queues: 2 roots; allowed: 1; next: remove one"


def test_a_syntax_error_in_the_main_file_shows_its_line(tmp_path: Path) -> None:
    error, folder = failing(tmp_path, "x = = 1\n")
    text = program.explain(error, folder)
    assert "x = = 1" in text and "SyntaxError" in text


def test_a_folder_without_a_program_is_said_in_one_line(tmp_path: Path) -> None:
    try:
        runpy.run_path(str(tmp_path), run_name="__main__")
    except ImportError as error:
        text = program.explain(error, str(tmp_path))
        assert text == f"{tmp_path} holds no Python program; it must have a __main__.py"
    else:
        raise AssertionError("an empty folder ran")


def test_a_missing_import_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    error, folder = failing(tmp_path, "import no_such_module_anywhere\n")
    assert "No module named 'no_such_module_anywhere'" in program.explain(error, folder)

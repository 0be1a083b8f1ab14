"""The linters are silent about the repository, the node half starts on Python 3.9, and every test is collected.

Each linter has a twin that must be red, so that a configuration which looks at nothing is noticed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from .node_half import ROOMS
from .rule import files

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
pytestmark = pytest.mark.allow("exec", reason="linters and other Pythons are programs")


def run(*argv: str | Path, cwd: Path = ROOT) -> tuple[int, str]:
    env = dict(os.environ, PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", NO_COLOR="1")
    # ansible-lint has Ansible read the inventory, and the default one is of a lab that need not be up.
    env["ANSIBLE_INVENTORY"] = str(ROOT / "inventories" / "example-roce")
    done = subprocess.run([str(a) for a in argv], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr + done.stdout


RUFF = (BIN / "ruff", "check", "--no-cache", "--output-format", "concise")
FORMAT = (BIN / "ruff", "format", "--no-cache", "--check")
YAMLLINT = (BIN / "yamllint", "--strict", "--format", "parsable")
ANSIBLE_LINT = (BIN / "ansible-lint", "--offline", "--nocolor", "-q", "--format", "pep8")


@pytest.mark.parametrize(
    "command",
    [(*RUFF, "."), (*FORMAT, "."), (BIN / "mypy",), (*YAMLLINT, "."), ANSIBLE_LINT],
    ids=["ruff check", "ruff format", "mypy --strict", "yamllint", "ansible-lint"],
)
def test_the_linter_finds_nothing(command: tuple[str | Path, ...]) -> None:
    code, output = run(*command)
    assert code == 0, output[-6000:]


def test_ruff_sees_what_it_must(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import os\nx = {  'a':1}\n")
    config = ("--config", ROOT / "pyproject.toml")
    assert "F401" in run(*RUFF, *config, tmp_path)[1]
    assert run(*FORMAT, *config, tmp_path)[0] == 1


def test_mypy_is_strict_about_the_whole_package(tmp_path: Path) -> None:
    (tmp_path / "raceway").mkdir()
    (tmp_path / "raceway" / "__init__.py").write_text("def f(x):\n    return x\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\npackages = raceway\n")
    assert "no-untyped-def" in run(BIN / "mypy", cwd=tmp_path)[1]
    settings = (ROOT / "pyproject.toml").read_text()
    assert 'strict = true\npackages = ["raceway"]' in settings


def test_yamllint_sees_what_it_must(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("a: 1\na: 2\n")
    assert "duplication" in run(*YAMLLINT, "-c", ROOT / ".yamllint.yml", tmp_path)[1]


def test_ansible_lint_holds_the_production_profile(tmp_path: Path) -> None:
    settings = yaml.safe_load((ROOT / ".ansible-lint.yml").read_text())
    # Mocks lie in the home folder and are swept at the end: they are left to the run over the whole repository.
    settings.pop("mock_modules")
    (tmp_path / ".ansible-lint.yml").write_text(yaml.safe_dump(settings))
    (tmp_path / "playbooks").mkdir()
    (tmp_path / "playbooks" / "bad.yml").write_text(
        "---\n- name: Bad\n  hosts: all\n  tasks:\n    - name: List\n      ansible.builtin.shell: ls | wc\n"
    )
    code, output = run(*ANSIBLE_LINT, "playbooks/bad.yml", cwd=tmp_path)
    assert code != 0
    assert "risky-shell-pipe" in output or "no-changed-when" in output, output


def old_pythons() -> list[str]:
    """Return Pythons 3.9 and 3.10 of this machine, on PATH or kept by a version manager."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = []
    for version in ("3.9", "3.10"):
        candidates = [*kept.glob(f"versions/{version}.*/bin/python3"), shutil.which(f"python{version}")]
        # A version manager's name on PATH fails when the version is not chosen, so each is asked.
        found += [str(path) for path in candidates if path and run(path, "-c", "pass")[0] == 0][:1]
    return found


def test_the_node_half_starts_on_the_oldest_python_promised() -> None:
    pythons = old_pythons()
    if not pythons:
        pytest.skip("no Python 3.9 or 3.10 on this machine; the grammar is checked by node_half.py everywhere")
    source = ROOT / "src"
    names = [
        file.relative_to(source).with_suffix("").as_posix().replace("/", ".")
        for file in files(ROOT)
        if file.suffix == ".py" and file.is_relative_to(source / "raceway") and file.parent.name in ROOMS
    ]
    assert len(names) > 20
    code = (
        f"import importlib, sys; sys.path.insert(0, {str(source)!r}); [importlib.import_module(n) for n in {names!r}]"
    )
    for python in pythons:
        status, output = run(python, "-I", "-S", "-B", "-c", code)
        assert status == 0, f"{python}: {output}"


def test_every_test_file_is_collected_by_pytest() -> None:
    code, output = run(sys.executable, "-c", COLLECT)
    assert code == 0, output[-6000:]
    collected = set(json.loads(output.splitlines()[-1]))
    tests = (file for file in files(ROOT) if file.name.startswith("test_") and file.suffix == ".py")
    assert {file.relative_to(ROOT).as_posix() for file in tests} - collected == set()


COLLECT = """
import json, pytest
class Seen:
    def pytest_collection_finish(self, session):
        self.files = sorted({item.nodeid.split("::")[0] for item in session.items})
seen = Seen()
code = pytest.main(["--collect-only", "-qq", "tests"], plugins=[seen])
print()
print(json.dumps(seen.files))
raise SystemExit(code)
"""

"""The executable inventory prints what the lab wrote, or says what to run."""

from __future__ import annotations

import configparser
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).parents[4] / "inventories" / "lab" / "hosts.py"


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    monkeypatch.delenv("RACEWAY_LAB", raising=False)
    monkeypatch.setattr("sys.argv", ["hosts.py", "--list"])
    spec = importlib.util.spec_from_file_location("lab_hosts", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_prints_the_inventory_of_the_lab_that_is_named(
    hosts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RACEWAY_LAB", "other")
    (tmp_path / "labs" / "other").mkdir(parents=True)
    (tmp_path / "labs" / "other" / "inventory.json").write_text('{"nodes": {"hosts": ["other-1"]}}')
    assert hosts.main() == 0
    assert json.loads(capsys.readouterr().out) == {"nodes": {"hosts": ["other-1"]}}


def test_without_a_lab_it_fails_and_says_what_to_run(hosts: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert hosts.main() == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "raceway lab up --name lab" in told.err


def test_a_torn_file_fails_too(hosts: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labs" / "lab").mkdir(parents=True)
    (tmp_path / "labs" / "lab" / "inventory.json").write_text("{")
    assert hosts.main() == 1
    assert "not JSON" in capsys.readouterr().err


def test_it_finds_the_state_folder_as_the_package_does(hosts: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from raceway.paths import state_dir

    for own, xdg in (("/a", "/b"), ("", "/b"), ("", "relative"), ("", "")):
        monkeypatch.setenv("RACEWAY_STATE", own)
        monkeypatch.setenv("XDG_STATE_HOME", xdg)
        assert hosts.state_dir() == state_dir()


def test_it_is_executable() -> None:
    assert SOURCE.stat().st_mode & 0o111


def test_compiled_python_beside_the_script_is_no_source_of_hosts() -> None:
    config = configparser.ConfigParser()
    config.read(SOURCE.parents[2] / "ansible.cfg")
    patterns = config["inventory"]["ignore_patterns"].split(",")
    ignored = {name for name in ("__pycache__", "hosts.py", "group_vars") if any(re.search(p, name) for p in patterns)}
    assert ignored == {"__pycache__"}

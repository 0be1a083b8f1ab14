"""The VM lab's executable inventory prints what the lab wrote, or says what to run."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[4] / "inventories" / "vmlab" / "hosts.py"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    monkeypatch.delenv("RACEWAY_LAB", raising=False)
    monkeypatch.setattr("sys.argv", ["hosts.py", "--list"])
    return tmp_path


@pytest.mark.parametrize("name", ["vmlab", "other"])
def test_it_prints_the_lab_that_is_named_and_vmlab_when_none_is(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    if name != "vmlab":
        monkeypatch.setenv("RACEWAY_LAB", name)
    (state / "labs" / name).mkdir(parents=True)
    (state / "labs" / name / "inventory.json").write_text(json.dumps({"nodes": {"hosts": [f"{name}-1"]}}))
    assert runpy.run_path(str(SOURCE))["main"]() == 0
    assert json.loads(capsys.readouterr().out) == {"nodes": {"hosts": [f"{name}-1"]}}


def test_without_a_lab_it_says_how_to_make_one_of_vms(capsys: pytest.CaptureFixture[str]) -> None:
    assert runpy.run_path(str(SOURCE))["main"]() == 1
    assert "raceway lab up --vm --name vmlab" in capsys.readouterr().err


def test_it_is_executable() -> None:
    assert SOURCE.stat().st_mode & 0o111

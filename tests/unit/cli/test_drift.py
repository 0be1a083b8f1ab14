"""``raceway drift``: exit codes and words; the comparison itself is shown on a real cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.cli import drift as module
from raceway.cli.main import main
from raceway.stack import Drift


def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: list[Drift], *words: str) -> int:
    monkeypatch.setattr(module, "drift", lambda project, show: found)
    return main(["drift", "platform", "--kubeconfig", str(tmp_path / "k"), *words])


def test_no_drift_is_exit_code_0(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, tmp_path, []) == 0
    assert capsys.readouterr().out == "platform/lab: the cluster is as declared\n"


def test_drift_is_exit_code_1_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Drift("Queue", "open", "spec.weight", "update")]
    assert call(monkeypatch, tmp_path, found) == 1
    assert capsys.readouterr().out == "Queue open: spec.weight (update)\n"
    assert call(monkeypatch, tmp_path, found, "--json") == 1
    assert '"field": "spec.weight"' in capsys.readouterr().out


def test_no_kubeconfig_is_told_before_anything_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert main(["drift", "platform"]) == 2
    assert "kubeconfig: none given" in capsys.readouterr().err

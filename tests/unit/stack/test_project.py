"""Where a stack's files lie, and what is refused before Pulumi is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.errors import RacewayError
from raceway.stack.project import Project


def make_project(tmp_path: Path, stack: str = "lab", config: str = "", **settings: Any) -> Project:
    folder = tmp_path / "root" / "pulumi" / "platform"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Pulumi.yaml").write_text("name: raceway-platform\n")
    (folder / "Pulumi.lab.yaml").write_text(config)
    (tmp_path / "kubeconfig").touch()
    return Project("platform", stack, tmp_path / "kubeconfig", settings, tmp_path / "state", tmp_path / "root")


def config_of(project: Project) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load(project.config_file.read_text())
    return made


def test_settings_complete_the_stack_file_and_leave_the_committed_one_alone(tmp_path: Path) -> None:
    text = "config:\n  raceway-platform:volcano: {mode: external, crds: false}\n"
    project = make_project(tmp_path, config=text, volcano={"webhookUrl": "https://x"}, inventory="/i")
    project.prepare()
    assert config_of(project)["config"] == {
        "raceway-platform:volcano": {"mode": "external", "crds": False, "webhookUrl": "https://x"},
        "raceway-platform:inventory": "/i",
    }
    assert project.stack_file.read_text() == text


def test_the_salt_of_the_state_survives_a_new_run(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.prepare()
    project.config_file.write_text("encryptionsalt: abc\n")
    project.prepare()
    assert config_of(project)["encryptionsalt"] == "abc"


def test_an_unknown_stack_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match=r"no Pulumi.prod.yaml; allowed: lab"):
        make_project(tmp_path, "prod").prepare()


def test_a_missing_kubeconfig_is_told_before_anything_is_written(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.kubeconfig.unlink()
    with pytest.raises(RacewayError, match=r"kubeconfig: .* does not exist; next: .*raceway lab up"):
        project.prepare()
    assert not project.state.exists()


def test_the_passphrase_is_random_private_and_kept(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.prepare()
    path = project.passphrase_file()
    assert path.stat().st_mode & 0o777 == 0o600 and len(path.read_text()) > 30
    assert project.passphrase_file().read_text() == path.read_text()

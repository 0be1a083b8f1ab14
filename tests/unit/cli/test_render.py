"""``raceway render``: the committed example stacks as plain manifests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from raceway.cli.main import main


def test_the_workloads_are_a_script_and_a_gang_under_the_right_queue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "workloads", "-s", "example-production"]) == 0
    script, job = yaml.safe_load_all(capsys.readouterr().out)
    assert script["kind"] == "ConfigMap" and "fully_shard" in script["data"]["train.py"]
    assert job["spec"]["queue"] == "models-pretraining" and job["spec"]["minAvailable"] == 8


def test_the_platform_is_written_whole_without_a_key_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "volcano"
    for folder in ("config/crd/volcano/bases", "config/crd/jobflow/bases", "installer"):
        (module / folder).mkdir(parents=True)
    (module / "config/crd/volcano/bases/x.yaml").touch()
    (module / "installer/volcano-development.yaml").write_text("# images of v1.15.1\n")
    monkeypatch.setattr("raceway.components.program.module_dir", lambda name: module)
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path / "state"))
    assert main(["render", "platform", "-s", "example-production", "-o", str(tmp_path / "out.yaml")]) == 0
    text = (tmp_path / "out.yaml").read_text()
    kinds = Counter(one["kind"] for one in yaml.safe_load_all(text))
    assert (kinds["Queue"], kinds["Node"], kinds["HyperNode"], kinds["Namespace"]) == (4, 18, 4, 4)
    assert "PRIVATE KEY" not in text and kinds["Secret"] == 0
    assert "objects" in capsys.readouterr().out

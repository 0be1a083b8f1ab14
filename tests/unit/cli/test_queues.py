"""``raceway queues`` on the committed stacks."""

from __future__ import annotations

import pytest

from raceway.cli.main import main


def test_the_example_stack_is_sound_and_its_tree_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queues", "-s", "example-production"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "128 nvidia.com/gpu" in lines[0] and lines[1] == "root"
    assert any("models-pretraining" in line and "guarantee nvidia.com/gpu=64" in line for line in lines)


def test_an_unknown_stack_is_answered_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queues", "-s", "nowhere"]) == 2
    assert "allowed: example-production, lab" in capsys.readouterr().err

"""The pure parts of the training script: options, checkpoints, seeds, the stop request. PyTorch is not needed."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest

from raceway.paths import source_root

SCRIPT = source_root() / "templates/jobs/torchrun-fsdp/train.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_fsdp", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_fsdp"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


train = load()


def checkpoint(folder: Path, step: int, whole: bool = True) -> None:
    (folder / f"step-{step}").mkdir()
    if whole:
        (folder / f"step-{step}" / "complete.json").touch()


def test_options_are_typed_and_have_defaults() -> None:
    options = train.parse_options(["--steps", "7", "--learning-rate", "0.1"])
    assert (options.steps, options.learning_rate, options.layers) == (7, 0.1, 4)


@pytest.mark.parametrize(
    "words", [["--steps", "0"], ["--width", "10", "--heads", "4"], ["--steps", "x"], ["--stepz", "1"]]
)
def test_a_bad_option_ends_the_script_with_code_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        train.parse_options(words)
    assert caught.value.code == 2


def test_a_torn_checkpoint_is_never_resumed_from(tmp_path: Path) -> None:
    checkpoint(tmp_path, 50)
    checkpoint(tmp_path, 100, whole=False)
    assert train.whole_checkpoints(tmp_path) == [50]


def test_the_two_newest_are_kept_and_a_torn_one_in_the_making_is_left_alone(tmp_path: Path) -> None:
    for step in (9, 10, 100):
        checkpoint(tmp_path, step)
    checkpoint(tmp_path, 50, whole=False)
    checkpoint(tmp_path, 150, whole=False)
    assert sorted(path.name for path in train.stale_checkpoints(tmp_path)) == ["step-50", "step-9"]


def test_a_step_gives_the_same_batch_after_a_restart_and_ranks_differ() -> None:
    seeds = {train.batch_seed(1, step, rank) for step in range(50) for rank in range(50)}
    assert len(seeds) == 2500 and train.batch_seed(1, 7, 3) == train.batch_seed(1, 7, 3)


def test_sigterm_is_remembered_and_does_not_end_the_process() -> None:
    stop, before = train.StopRequest(), signal.getsignal(signal.SIGTERM)
    try:
        stop.install()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.asked
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""One holder at a time, told at once where waiting makes no sense, and never a lock on a removed file."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab import locks


def test_a_second_holder_is_told_who_is_busy(tmp_path: Path) -> None:
    with (
        locks.exclusive(tmp_path / "a" / "lock", busy="lab x"),
        pytest.raises(RacewayError, match=r"lab x.*at work"),
        locks.exclusive(tmp_path / "a" / "lock", busy="lab x"),
    ):
        pass


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="boom"), locks.exclusive(tmp_path / "lock", busy="lab x"):
        raise ValueError("boom")
    with locks.exclusive(tmp_path / "lock", busy="lab x"):
        assert (tmp_path / "lock").exists()


def test_a_holder_may_remove_its_lock_file_and_the_next_makes_a_new_one(tmp_path: Path) -> None:
    with locks.exclusive(tmp_path / "lock"):
        (tmp_path / "lock").unlink()
    with (
        locks.exclusive(tmp_path / "lock", busy="lab x"),
        pytest.raises(RacewayError),
        locks.exclusive(tmp_path / "lock", busy="lab x"),
    ):
        pass

"""Who would overwrite a value at boot."""

from __future__ import annotations

import pytest

from raceway.facts.bootwriter import BootWrite
from raceway.plan.bootwriter import conflicts, tuned_conflicts

OURS = "/etc/tmpfiles.d/raceway-thp.conf"


@pytest.mark.parametrize(
    ("file", "value", "refused"),
    [
        ("/etc/tmpfiles.d/a.conf", "never", True),
        ("/usr/lib/tmpfiles.d/raceway-a.conf", "never", True),
        ("/etc/tmpfiles.d/a.conf", "madvise", False),
        ("/etc/tmpfiles.d/zz.conf", "never", False),
        (OURS, "never", False),
    ],
)
def test_only_an_earlier_name_with_another_value_wins_over_ours(file: str, value: str, refused: bool) -> None:
    rows = [BootWrite("/sys/x", value, file, 4), BootWrite("/sys/other", "never", "/etc/tmpfiles.d/a.conf", 5)]
    found = conflicts("x", "/sys/x", "madvise", OURS, rows, "kernel_x")
    assert bool(found) is refused
    assert all(f"{file}:4" in row.reason for row in found)


@pytest.mark.parametrize(
    ("value", "refused"), [("performance", False), ("performance|schedutil", False), ("schedutil|performance", True)]
)
def test_the_first_choice_of_tuned_is_what_counts(value: str, refused: bool) -> None:
    rows = [BootWrite("cpu.governor", value, "/f", 1), BootWrite("cpu.other", "x", "/f", 2)]
    assert bool(tuned_conflicts("t", "cpu.governor", "performance", rows, "v")) is refused

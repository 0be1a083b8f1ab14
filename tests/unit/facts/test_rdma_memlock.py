"""The line of a process's limits that decides about pinned memory."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_memlock import parse_soft

HEAD = "Limit                     Soft Limit           Hard Limit           Units     \n"


@pytest.mark.parametrize(
    ("line", "soft"),
    [
        ("Max locked memory         65536                65536                bytes     \n", "65536"),
        ("Max locked memory         unlimited            unlimited            bytes     \n", "unlimited"),
        ("Max locked memory         6553", ""),
        ("", ""),
    ],
    ids=["little", "all", "cut off", "missing"],
)
def test_the_soft_limit_is_read_and_a_cut_line_is_none(line: str, soft: str) -> None:
    assert parse_soft(f"{HEAD}{line}") == soft

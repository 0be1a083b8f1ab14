"""Device lists written by hand, and lines the library would misread."""

from __future__ import annotations

import pytest

from raceway.facts.nccl import RdmaPort
from raceway.plan.nccl_checks import LONGEST_VALUE, line_problem, lint

PORTS = tuple(RdmaPort(name) for name in ("mlx5_1", "mlx5_10", "mlx5_11", "bnxt_re0"))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("mlx5_1:1", "mlx5_1 is a prefix of mlx5_10, mlx5_11 and takes them along; write =mlx5_1:1"),
        ("^mlx5_1", "write ^=mlx5_1"),
        ("bnxt_re0,mlx5_1", "write =bnxt_re0,mlx5_1"),
        ("=mlx5_2:1", "no device is called mlx5_2; devices present: bnxt_re0, mlx5_1, mlx5_10, mlx5_11"),
        ("=mlx5", "no device is called mlx5"),
        ("rocep3s0", "no device is called rocep3s0"),
    ],
)
def test_case_x01_a_name_that_means_more_or_nothing_is_told(value: str, told: str) -> None:
    (warning,) = lint({"NCCL_IB_HCA": value}, PORTS)
    assert told in warning.reason and warning.reason.startswith("warning: ")


@pytest.mark.parametrize("value", ["=mlx5_1:1,mlx5_10:1", "^=mlx5_1", "mlx5", "mlx5_11", "", "="])
def test_case_x01_exact_names_and_a_meant_prefix_are_no_news(value: str) -> None:
    assert lint({"NCCL_IB_HCA": value}, PORTS) == []
    assert lint({}, PORTS) == []


def test_case_x01_a_number_that_is_a_prefix_alone_is_told_though_no_device_has_it() -> None:
    (warning,) = lint({"NCCL_IB_HCA": "mlx5_1"}, PORTS[1:])
    assert "mlx5_1 is a prefix of mlx5_10, mlx5_11" in warning.reason


@pytest.mark.parametrize(
    ("name", "value"),
    [("NCCL_DEBUG", "WARN"), ("NCCL_IB_HCA", "=mlx5_0:1"), ("X", ""), ("X", "a#b"), ("X", "v" * LONGEST_VALUE)],
)
def test_a_line_that_is_read_as_meant_has_no_problem(name: str, value: str) -> None:
    assert line_problem(name, value) == ""


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("#X", "1", "letters, digits"),
        ("X Y", "1", "letters, digits"),
        ("1X", "1", "letters, digits"),
        ("X", "1 ", "not trimmed"),
        ("X", "106 # DSCP", "comment"),
        ("X", "'1'", "quotes"),
        ("X", "1\n2", "one line"),
        ("X", "v" * (LONGEST_VALUE + 1), "1024 bytes; the reader keeps 1023"),
        ("X", "ü" * 512, "1024 bytes"),
    ],
)
def test_a_line_that_would_be_misread_is_told(name: str, value: str, told: str) -> None:
    assert told in line_problem(name, value)

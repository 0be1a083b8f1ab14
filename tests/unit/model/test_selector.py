"""Selectors: one shape for all roles, and no role that keeps another."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.model import nccl, rdma, roce, selector

ROLES = Path(__file__).parents[3] / "src" / "raceway" / "roles"


@pytest.mark.parametrize(
    ("by", "value", "right"),
    [
        ("pci", "0000:3B:00.0", True),
        ("pci", "10000:01:00.0", True),
        ("pci", "3b:00.0", False),
        ("pci", "0000:3b:00.8", False),
        ("guid", "b83f:d203:0000:0001", True),
        ("guid", "0xb83fd20300000001", False),
        ("mac", "b8:3f:d2:00:00:01", True),
        ("mac", "b8-3f-d2-00-00-01", False),
        ("device", "mlx5_bond_0", True),
        ("device", "mlx5 0", False),
    ],
)
def test_a_value_has_the_shape_sysfs_gives_it(by: str, value: str, right: bool) -> None:
    assert (selector.wrong(by, value) is None) is right


def test_only_what_is_filled_in_selects() -> None:
    assert selector.given({"pci": None, "guid": "", "rail": 3}, rdma.SELECTORS) == []
    assert selector.given({"guid": "b83f:d203:0000:0001"}, rdma.SELECTORS) == ["guid"]


def test_every_role_selects_by_these_and_keeps_no_shape_of_its_own() -> None:
    assert {*roce.SELECTORS, *nccl.SELECTORS, *rdma.SELECTORS} <= set(selector.SHAPES)
    for name in ("roce", "nccl", "rdma"):
        text = (ROLES / f"{name}.py").read_text()
        assert "selected(" in text and "0-9a-f]{2}:" not in text

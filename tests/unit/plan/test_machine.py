"""Numbers as declared give no refusal, and each number that differs gives one (variants: tests/cases/machine)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.machine import MachineFacts
from raceway.model.machine import parse
from raceway.plan.machine import plan

DESIRED = parse(
    {
        "cpus": 4,
        "memory_gib": 100,
        "accelerator_kind": "amd",
        "accelerator_count": 2,
        "rdma_ports": 1,
        "python_min": "3.9",
    }
)
RIGHT = MachineFacts(4, 98 * 2**20, {"amd": 2}, ("rxe0/1",), (3, 9, 2))


def test_a_machine_as_declared_gives_no_refusal_and_never_a_step() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and len(found.noops) == 5


@pytest.mark.parametrize(
    ("wrong", "target", "numbers"),
    [
        ({"cpus": 2}, "cpus", ("4", "2")),
        ({"memory_kib": 94 * 2**20}, "memory", ("100", "94.0")),
        ({"memory_kib": 106 * 2**20}, "memory", ("100", "106.0")),
        ({"memory_kib": 0}, "memory", ("100", "0.0")),
        ({"accelerators": {"amd": 1}}, "accelerators", ("2", "1")),
        ({"accelerators": {"nvidia": 2}}, "accelerators", ("2", "0", "2 of nvidia")),
        ({"rdma_ports": ()}, "rdma ports", ("1", "0")),
        ({"python": (3, 8, 18)}, "python", ("3.9", "3.8.18")),
    ],
)
def test_each_number_that_differs_is_refused_naming_both(
    wrong: dict[str, Any], target: str, numbers: tuple[str, ...]
) -> None:
    found = plan(DESIRED, dataclasses.replace(RIGHT, **wrong))
    assert [row.target for row in found.refusals] == [target]
    assert all(number in found.refusals[0].reason for number in numbers)


@pytest.mark.parametrize("gib", [95, 100, 105])
def test_five_percent_of_memory_either_way_is_the_firmwares(gib: int) -> None:
    assert plan(DESIRED, dataclasses.replace(RIGHT, memory_kib=gib * 2**20)).empty

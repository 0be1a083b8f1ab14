"""What a node is declared to be."""

from __future__ import annotations

import pytest

from raceway.model.machine import ACCELERATOR_RESOURCES, Machine, MachineDesired, parse


def test_parts_that_are_left_out_are_not_checked() -> None:
    assert parse({}) == MachineDesired()
    assert parse({"cpus": 4, "python_min": "3.9"}) == MachineDesired(cpus=4, python_min="3.9")


@pytest.mark.parametrize(("kind", "resource"), ACCELERATOR_RESOURCES.items())
def test_each_kind_of_accelerator_has_its_resource(kind: str, resource: str) -> None:
    assert Machine("n", accelerator_kind=kind).accelerator_resource == resource

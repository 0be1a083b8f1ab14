"""Each role's scenario ``default``, on a node of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .scenarios import down, marked, roles, run

KIND = "default"


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    yield
    down(KIND)


@pytest.mark.molecule
@pytest.mark.parametrize("role", marked())
def test_scenario_passes_from_pristine_node_to_pristine_node(role: str, tmp_path: Path) -> None:
    assert run(role, KIND, tmp_path) == 0, f"{role}, {KIND}: the evidence is printed above"


def test_there_are_roles_to_run() -> None:
    assert {"kernel", "node", "system"} <= set(roles())

"""Every Molecule scenario of every role: check → converge → idempotence → verify → break and mend → remove.

All stand on one lab node, one after the other: the last step of each compares the node with the pristine one, so the
next begins where the first began. It cannot see kernel-wide settings, modules, queues of real interfaces, the boot
(all on the vm rung).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted(path.parent.relative_to(ROOT) for path in ROOT.glob("roles/*/molecule/*/molecule.yml"))
LIMIT_S = 900  # a scenario takes about a minute on two cores; a hung node must not hang the rung


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    yield
    _down()


def _down() -> None:
    """Remove the lab that the playbook `create` brings up."""
    lab = [sys.executable, "-m", "raceway.cli.main", "lab", "down", "--name", "molecule"]
    subprocess.run(lab, capture_output=True, check=True, timeout=LIMIT_S)


@pytest.mark.molecule
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario_passes_from_pristine_node_to_pristine_node(scenario: Path, tmp_path: Path) -> None:
    role, name = scenario.parts[1], scenario.parts[3]
    bin_dir = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "NO_COLOR": "1"}
    env["MOLECULE_EPHEMERAL_DIRECTORY"] = str(tmp_path)  # what an earlier run knew of its node is not of this one
    done = subprocess.run(
        [bin_dir / "molecule", "test", "-s", name, "--destroy=never"],
        cwd=ROOT / "roles" / role,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    print(done.stdout[-8000:], done.stderr[-8000:])
    if done.returncode:
        _down()
    assert done.returncode == 0, f"{scenario}: the evidence is printed above"


def test_every_role_has_a_default_and_an_alternative_scenario() -> None:
    found = {(path.parts[1], path.parts[3]) for path in SCENARIOS}
    roles = {path.name for path in (ROOT / "roles").iterdir() if path.is_dir()}
    assert roles, "no role at all"
    wanted = {(role, name) for role in roles for name in ("default", "alternative")}
    assert wanted <= found, f"missing: {sorted(wanted - found)}"

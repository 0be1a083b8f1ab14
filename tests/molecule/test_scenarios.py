"""Every Molecule scenario of every role, on a fresh lab node: check → converge → idempotence → verify → remove.

It cannot see: kernel-wide settings, modules, queues of real interfaces, the boot (all on the vm rung).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted(path.parent.relative_to(ROOT) for path in ROOT.glob("roles/*/molecule/*/molecule.yml"))
LIMIT_S = 900  # a scenario takes about a minute on two cores; a hung node must not hang the rung


@pytest.mark.molecule
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario_passes_from_pristine_node_to_pristine_node(scenario: Path) -> None:
    role, name = scenario.parts[1], scenario.parts[3]
    bin_dir = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        [bin_dir / "molecule", "test", "-s", name],
        cwd=ROOT / "roles" / role,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    print(done.stdout[-8000:], done.stderr[-8000:])
    assert done.returncode == 0, f"{scenario}: the evidence is printed above"


def test_every_role_has_a_default_and_an_alternative_scenario() -> None:
    found = {(path.parts[1], path.parts[3]) for path in SCENARIOS}
    roles = {path.name for path in (ROOT / "roles").iterdir() if path.is_dir()}
    assert roles, "no role at all"
    wanted = {(role, name) for role in roles for name in ("default", "alternative")}
    assert wanted <= found, f"missing: {sorted(wanted - found)}"

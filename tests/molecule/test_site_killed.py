"""Killed anywhere and run again: the node ends as declared, with no half-written file and nothing forgotten.

The points are random but seeded, so that a failure can be repeated: the seed is in the test's name.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from raceway import bundle
from raceway.inventory import compile_vars

pytestmark = pytest.mark.molecule
ROOT = Path(__file__).parents[2]
MARKER = "<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"
LEFTOVERS = "find / -xdev \\( -name '.raceway-*' -o -name '.new-*' -o -name 'raceway-plan-*' \\) -not -path '/proc/*'"


def _whole(site: Any, node: str) -> None:
    """Assert that one more run converges, that the next finds nothing to do, and that no temporary file is left."""
    repaired = site.playbook("site.yml", "--limit", node)
    second = site.playbook("site.yml", "--limit", node)
    assert repaired.rc == 0, repaired.text
    assert second.nodes[node]["applied"] == [] and second.nodes[node]["verdict"] == "as declared"
    ledger = json.loads(site.ssh(node, "cat /var/lib/raceway/ledger.json"))
    assert ledger["sysctl"]["net/ipv4/tcp_keepalive_time"] == "7200", "the original must survive every interruption"
    assert site.ssh(node, LEFTOVERS).split() == []


@pytest.mark.parametrize("seed", range(6))
def test_killing_ansible_playbook_at_a_random_point_leaves_nothing_half_done(site: Any, seed: int) -> None:
    node = site.nodes[seed % 2]
    site.forget()
    process = site.start("site.yml", "--limit", node)
    time.sleep(random.Random(seed).uniform(0.5, 6.0))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    _whole(site, node)


@pytest.mark.parametrize("seed", range(8))
def test_killing_the_node_program_at_a_random_point_leaves_nothing_half_done(site: Any, seed: int) -> None:
    node = site.nodes[seed % 2]
    site.forget()
    module = _module(node, json.loads(_hostvars(site, node)))
    delay = random.Random(seed).uniform(0.05, 1.2)

    site.ssh(node, f"timeout -s KILL {delay:.3f} python3 -", module.encode(), check=False)

    _whole(site, node)


def _hostvars(site: Any, node: str) -> str:
    import subprocess
    import sys

    program = Path(sys.executable).parent / "ansible-inventory"
    argv = [str(program), "-i", "inventories/lab", "--host", node]
    return subprocess.run(argv, cwd=ROOT, env=site.env, capture_output=True, text=True, check=True, timeout=60).stdout


def _module(node: str, variables: dict[str, Any]) -> str:
    """Return the node module with its arguments put in, as the action plugin's first apply sends it."""
    made = bundle.build()
    request = {"mode": "apply", "roles": compile_vars(variables, node)}
    arguments = {
        "home": "/var/lib/raceway/bundles",
        "bundle": made.digest,
        "archive": made.archive,
        "request": request,
    }
    return (ROOT / "plugins/modules/node.py").read_text().replace(MARKER, json.dumps(arguments))

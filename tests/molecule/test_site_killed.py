"""Killed anywhere and run again: the node ends as declared, with no half-written file and nothing forgotten.

The points are random but seeded, so that a failure can be repeated: the seed is in the test's name.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from typing import Any

import pytest

pytestmark = pytest.mark.molecule
NAMES = ("'.raceway-*'", "'.new-*'", "'raceway-plan-*'", "'*.zip'")
LEFTOVERS = f"find / /dev/shm /run -xdev \\( {' -o '.join(f'-name {name}' for name in NAMES)} \\)"


def _whole(site: Any, node: str) -> None:
    """Assert that the node has nothing to do, that the originals survived, and that no temporary file is left."""
    second = site.apply(node)
    assert second["applied"] == second["refused"] == second["remaining"] == []
    ledger = json.loads(site.ssh(node, "cat /var/lib/raceway/ledger.json"))
    assert ledger["sysctl"]["net/ipv4/tcp_keepalive_time"] == "7200", "the original must survive every interruption"
    assert site.ssh(node, LEFTOVERS).split() == []


@pytest.mark.parametrize("seed", range(4))
def test_killing_ansible_playbook_at_a_random_point_leaves_nothing_half_done(site: Any, seed: int) -> None:
    node = site.nodes[seed % 2]
    site.forget(node)
    process = site.start("site.yml", "--limit", node)
    time.sleep(random.Random(seed).uniform(0.5, 6.0))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    repaired = site.playbook("site.yml", "--limit", node)

    assert repaired.rc == 0, repaired.text
    assert repaired.nodes[node]["verdict"] == "as declared"
    _whole(site, node)


@pytest.mark.parametrize("seed", range(12))
def test_killing_the_node_program_at_a_random_point_leaves_nothing_half_done(site: Any, seed: int) -> None:
    node = site.nodes[seed % 2]
    site.forget(node)
    delay = random.Random(seed).uniform(0.05, 1.2)
    site.ssh(node, f"timeout -s KILL {delay:.3f} python3 -", site.program(node), check=False)

    repaired = site.apply(node)

    assert repaired["refused"] == repaired["remaining"] == []
    _whole(site, node)

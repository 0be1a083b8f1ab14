"""The bench of the 60-setting baseline measures what it says: its own checks pass on a real node, one round."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="lab nodes need root")


def test_raceway_makes_all_60_settings_and_its_report_names_the_six_that_drifted(
    tmp_path: Path, lab_name: Callable[[str], str]
) -> None:
    choice = ["--parts", "converge", "--nodes", "1", "--only", "floor", "raceway", "--repeats", "1", "1"]
    place = ["--lab", lab_name("-bench"), "--out", str(tmp_path), "--no-docs", "--force"]
    command = [sys.executable, "-m", "tests.bench", *choice, *place]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    costs = json.loads((tmp_path / "converge-1.json").read_text())["costs"]
    assert [task for task in ("first", "noop", "drift") if len(costs[task]["raceway"]) != 1] == []
    first, noop = costs["first"]["raceway"][0], costs["noop"]["raceway"][0]
    # The bundle goes over once; a no-op sends next to nothing and the node works less.
    assert first["wire_bytes"] > 3 * noop["wire_bytes"] > 0
    assert first["node_cpu"] > noop["node_cpu"] > 0

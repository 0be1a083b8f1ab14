"""A build that is killed, at any point, leaves nothing a later run could take for a tool, and the next run finishes.

With a real Go compiler and a recipe of one file, so that a build takes a second. It cannot see a power cut: the
files are forced to disk, but nothing here takes the disk away.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.cluster
RUNS = 12
TABLE = """\
[go]
minimum = "1.21.0"
ldflags = ["-s", "-w"]
[family.tiny]
title = "Tiny"
disk_gib = 0.1
[tool.tiny-tool]
family = "tiny"
version = "1.2.3"
package = "."
ldflags = ["-X", "main.version=1.2.3"]
ask = ["--version"]
answer = '^tiny (\\d\\S*)'
source = "this test"
why = "small"
"""
MAIN = 'package main\n\nimport "fmt"\n\nvar version = "0"\n\nfunc main() { fmt.Println("tiny", version) }\n'


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    recipe = tmp_path / "tools" / "tiny"
    recipe.mkdir(parents=True)
    (recipe.parent / "versions.toml").write_text(TABLE)
    (recipe / "go.mod").write_text("module tiny\n\ngo 1.21\n")
    (recipe / "go.sum").write_text("")
    (recipe / "main.go").write_text(MAIN)
    return {**os.environ, "RACEWAY_TOOLS": str(recipe.parent), "RACEWAY_CACHE": str(tmp_path / "cache")}


def raceway(env: dict[str, str], *words: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "raceway.cli.main", "tools", *words]
    return subprocess.Popen(argv, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def visible(env: dict[str, str]) -> list[Path]:
    return sorted((Path(env["RACEWAY_CACHE"]) / "tools").glob("tiny-tool-*"))


def whole(place: Path) -> bool:
    """The oracle is not the code under test: the folder is whole if its program runs and tells the version."""
    names = {path.name for path in place.iterdir()}
    told = subprocess.run([place / "tiny-tool"], capture_output=True, text=True, check=False).stdout
    return names == {"tiny-tool", "record.json"} and told == "tiny 1.2.3\n"


def processes_of(folder: Path) -> list[str]:
    found = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in str((proc / "cwd").readlink()):
                found.append((proc / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def test_a_build_killed_at_a_random_moment_leaves_nothing_half_made(env: dict[str, str]) -> None:
    began = time.monotonic()
    assert raceway(env, "build").wait(120) == 0
    full = time.monotonic() - began
    chance = random.Random(3)
    finished = 0
    for run in range(RUNS):
        shutil.rmtree(env["RACEWAY_CACHE"])
        process = raceway(env, "build")
        time.sleep(full * chance.uniform(0.1, 1.0))
        process.send_signal(signal.SIGKILL if run % 2 else signal.SIGINT)
        process.wait(30)
        assert all(whole(place) for place in visible(env)), f"run {run}: half-made"
        finished += len(visible(env))
        assert raceway(env, "build").wait(120) == 0, f"run {run}: the next build failed"
        assert [whole(place) for place in visible(env)] == [True]
        assert not list((Path(env["RACEWAY_CACHE"]) / "tools").glob(".work-*"))
    assert finished < RUNS, "every kill came too late to test anything"


def test_a_killed_build_leaves_no_process_behind(env: dict[str, str]) -> None:
    process = raceway(env, "build")
    tools = Path(env["RACEWAY_CACHE"]) / "tools"
    deadline = time.monotonic() + 60
    while not (seen := processes_of(tools)) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    process.wait(30)
    assert seen, "the build was over before it could be killed"
    deadline = time.monotonic() + 10
    while (left := processes_of(tools)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def test_two_builds_at_once_make_the_tool_once(env: dict[str, str]) -> None:
    both = [raceway(env, "build") for _ in range(2)]
    outputs = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert [whole(place) for place in visible(env)] == [True]
    assert sum("(1 of 1)" in output for output in outputs) == 1, outputs


def test_a_recipe_that_does_not_compile_is_one_message_with_the_log(env: dict[str, str]) -> None:
    (Path(env["RACEWAY_TOOLS"]) / "tiny" / "main.go").write_text("package main\n\nfunc main() { broken }\n")
    process = raceway(env, "build")
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 2
    assert "undefined: broken" in output and "Traceback" not in output
    log = Path(output.rsplit("(log: ", 1)[1].split(")")[0])
    assert "undefined: broken" in log.read_text()
    assert visible(env) == []


def test_a_built_tool_is_used_from_the_cache_and_a_users_own_before_it(env: dict[str, str], tmp_path: Path) -> None:
    assert raceway(env, "build").wait(120) == 0
    rows = json.loads(raceway(env, "list", "--json").communicate(timeout=30)[0])
    assert [row["where"] for row in rows] == ["cache"]
    shutil.copytree(visible(env)[0], tmp_path / "mine")
    env["PATH"] = f"{tmp_path / 'mine'}:{env['PATH']}"
    rows = json.loads(raceway(env, "list", "--json").communicate(timeout=30)[0])
    assert [(row["where"], row["path"]) for row in rows] == [("PATH", str(tmp_path / "mine" / "tiny-tool"))]

"""Set-up and CI: locks are whole and name no host, a bad Python is told, the promised targets exist."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
TARGETS = {
    "setup",
    "demo",
    "test",
    "test-unit",
    "test-molecule",
    "test-cluster",
    "test-slow",
    "test-vm",
    "test-kube",
    "test-train",
    "bench",
    "clean",
}


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", lock.read_text(), flags=re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_pins_every_package_by_hash_and_names_no_index(lock: Path) -> None:
    text = lock.read_text()
    entries = [entry for entry in re.split(r"\n(?=[A-Za-z])", text) if "==" in entry.split("\n")[0]]
    assert len(entries) > 10
    assert [entry.split("\n")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|--trusted-host", text)


def test_the_lock_has_what_pyproject_asks_for_at_that_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = {name.lower().replace("_", "-"): version for name, version in pins(ROOT / "requirements.lock").items()}
    assert len(asked) > 10
    for requirement in asked:
        name, _, version = requirement.partition("==")
        key = name.strip().lower().replace("_", "-")
        assert key in locked, f"{name} is not in requirements.lock; next: make lock"
        assert version in ("", locked[key]), f"{name}: {version} asked, {locked[key]} locked; next: make lock"


def test_the_peers_of_the_benchmarks_run_on_the_same_ansible() -> None:
    ours, peers = (pins(ROOT / name) for name in ("requirements.lock", "requirements-bench.lock"))
    assert ours["ansible-core"] == peers["ansible-core"]
    assert {"pyinfra", "mitogen", "ansible"} <= set(peers)


def test_the_makefile_has_every_promised_target() -> None:
    rules = re.findall(r"^([a-z][a-z -]*):(?!=)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {name for rule in rules for name in rule.split()} >= TARGETS


@pytest.mark.allow("exec", reason="find-python is a shell script")
def test_find_python_tells_what_is_wrong_with_the_python_it_was_given(tmp_path: Path) -> None:
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    env = {**os.environ, "PYTHON": str(old)}
    done = subprocess.run([ROOT / "tools" / "find-python"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"PYTHON={old} is no Python 3.12 or newer" in done.stderr


@pytest.mark.allow("exec", reason="find-python is a shell script")
def test_find_python_looks_into_the_folders_of_a_version_manager(tmp_path: Path) -> None:
    kept = tmp_path / ".pyenv" / "versions" / "3.13.9" / "bin" / "python3"
    kept.parent.mkdir(parents=True)
    kept.write_text("#!/bin/sh\nexit 0\n")
    kept.chmod(0o755)
    shim = tmp_path / "bin" / "python3.13"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexit 127\n")  # what a version manager's name on PATH does when no version is chosen
    shim.chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": f"{shim.parent}:/usr/bin:/bin"}
    done = subprocess.run([ROOT / "tools" / "find-python"], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(kept), done.stderr


@pytest.mark.allow("exec", reason="find-python is a shell script")
def test_find_python_says_how_to_get_one_where_there_is_none(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sh").symlink_to("/bin/sh")
    env = {"HOME": str(tmp_path), "PATH": str(tools)}
    script = (
        (ROOT / "tools" / "find-python")
        .read_text()
        .replace("/usr/local/bin/", "/nowhere/")
        .replace("/opt/", "/nowhere/")
    )
    (tmp_path / "find-python").write_text(script)
    done = subprocess.run(["/bin/sh", tmp_path / "find-python"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "next: install one" in done.stderr


def test_ci_runs_the_rungs_within_its_time_and_nothing_from_the_keyboard() -> None:
    text = (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert text.startswith("#!/bin/bash\n")
    for wanted in ("set -eu", "export CI=true", "</dev/null", "make --no-print-directory", "in test test-slow;"):
        assert wanted in text
    # One end for all rungs together.
    assert int(re.findall(r"end=\$\(\(SECONDS \+ (\d+)\)\)", text)[0]) < 90 * 60
    assert "$((end - SECONDS)) make" in text


def test_hooks_are_local_and_download_nothing() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]
    assert {hook["language"] for hook in hooks["repos"][0]["hooks"]} == {"system"}

"""A lab of two nodes for whole-site tests, and the few verbs those tests speak: run a playbook, look at a node.

The lab is made once a test process, with a name of its own, and removed after the last of these tests. Looking at a
node goes through plain ssh and tests/molecule/snapshot.py, never through raceway.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raceway import bundle
from raceway.inventory import compile_vars

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "plugins/modules/node.py"
MARKER = "<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"
BIN = Path(sys.executable).parent
RUN_LIMIT_S = 300


@dataclass
class Run:
    """How a playbook ended: exit code, what it printed, and its JSON report."""

    rc: int
    text: str
    nodes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Site:
    """A lab of nodes that site.yml is run on."""

    name: str
    scratch: Path
    nodes: tuple[str, ...]
    config: Path
    sessions: Path  # of the ssh connections that are kept open, one a node: a login costs more than most commands
    variables: dict[str, Any] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """Return the environment of a user who has sourced nothing."""
        mine = {"RACEWAY_LAB": self.name, "RACEWAY_REPORT": str(self.scratch / "run.json"), "NO_COLOR": "1"}
        return {**os.environ, **mine, "PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "200"}

    def playbook(self, book: str, *args: str, inventory: str = "inventories/lab") -> Run:
        """Run a playbook and return how it ended."""
        report = self.scratch / "run.json"
        report.unlink(missing_ok=True)
        argv = [str(BIN / "ansible-playbook"), "-i", inventory, book, *args]
        done = subprocess.run(argv, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=RUN_LIMIT_S)
        nodes = json.loads(report.read_text())["nodes"] if report.exists() else {}
        print(done.stdout[-6000:], done.stderr[-3000:])
        return Run(done.returncode, done.stdout + done.stderr, nodes)

    def start(self, book: str, *args: str) -> subprocess.Popen[bytes]:
        """Start a playbook in a process group of its own, so that a test can kill all of it."""
        argv = [str(BIN / "ansible-playbook"), "-i", "inventories/lab", book, *args]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(argv, cwd=ROOT, env=self.env, stdout=quiet, stderr=quiet, start_new_session=True)

    def ssh(self, node: str, command: str, stdin: bytes = b"", check: bool = True) -> str:
        """Run a command on a node and return what it printed."""
        kept = ("ControlMaster=auto", "ControlPersist=60", f"ControlPath={self.sessions}/%n")
        argv = ["ssh", "-F", str(self.config), *(word for option in kept for word in ("-o", option)), node, command]
        done = subprocess.run(argv, input=stdin, capture_output=True, timeout=RUN_LIMIT_S)
        if check and done.returncode:
            raise AssertionError(f"{node}: {command}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def program(self, node: str, **changed: Any) -> bytes:
        """Return the node module with its arguments put in, as the action plugin's first apply sends it."""
        made = bundle.build()
        request = {"mode": "apply", "roles": compile_vars({**self._declared(node), **changed}, node)}
        place = {"home": "/var/lib/raceway/bundles", "bundle": made.digest, "archive": made.archive}
        return MODULE.read_text().replace(MARKER, json.dumps({**place, "request": request})).encode()

    def _declared(self, node: str) -> dict[str, Any]:
        if not self.variables:
            argv = [str(BIN / "ansible-inventory"), "-i", "inventories/lab", "--list"]
            done = subprocess.run(argv, cwd=ROOT, env=self.env, capture_output=True, text=True, check=True, timeout=60)
            self.variables.update(json.loads(done.stdout)["_meta"]["hostvars"])
        return dict(self.variables[node])

    def apply(self, node: str, **changed: Any) -> dict[str, Any]:
        """Apply what is declared without Ansible, which takes a quarter of the time; return the node's answer."""
        answer: dict[str, Any] = json.loads(self.ssh(node, "python3 -", self.program(node, **changed)))
        assert not answer.get("failed"), answer
        return answer

    def snapshot(self, node: str) -> dict[str, Any]:
        """Return what a node looks like, read by its own means."""
        script = (ROOT / "tests/molecule/snapshot.py").read_bytes()
        state: dict[str, Any] = json.loads(self.ssh(node, "python3 -", script))
        return state

    def forget(self, *nodes: str) -> None:
        """Give these nodes (default: all) back what raceway found and remove the node program: pristine again."""
        for node in nodes or self.nodes:
            answer = self.apply(node, kernel_state="absent", system_state="absent")
            assert answer["remaining"] == answer["refused"] == [], answer
            self.ssh(node, "rm -rf /var/lib/raceway")


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Return a running two-node lab."""
    name = f"site{os.getpid()}"
    scratch = tmp_path_factory.mktemp("site")
    lab = [sys.executable, "-m", "raceway.cli.main", "lab"]
    made = subprocess.run(
        [*lab, "up", "--name", name, "--nodes", "2", "--no-cluster"], capture_output=True, text=True, timeout=900
    )
    try:
        assert made.returncode == 0, made.stdout + made.stderr
        from raceway.paths import state_dir

        config = state_dir() / "labs" / name / "ssh" / "config"
        # A socket's path may have 107 bytes: not below pytest's folder. The connections end with their nodes.
        with tempfile.TemporaryDirectory(prefix="raceway-") as sessions:
            yield Site(name, scratch, (f"{name}-1", f"{name}-2"), config, Path(sessions))
    finally:
        subprocess.run([*lab, "down", "--name", name], capture_output=True, timeout=300)

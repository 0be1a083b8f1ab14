"""One lab of Kubernetes nodes for all tests of this rung, the cluster the role makes in it, and kubectl.

The machines are made once a run (``machines``), and the cluster once, by ``site.yml`` as on real machines
(``cluster``); every file works on the same one. A file finds it with nothing in it but what the role put there, and
leaves it so: each works in a namespace of its own and puts back what it stopped. It deliberately looks at the cluster
through kubectl and at a node through plain ssh, never through raceway.

The lab's name holds this process's id; a lab whose test process was killed is removed by the next session.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import requirements
from raceway.lab.kube import KubeLab, host, needs, power
from raceway.lab.podman import Podman
from raceway.lab.record import Node, labs_dir
from raceway.tools import ensure

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
RACEWAY = (sys.executable, "-m", "raceway.cli.main")
PREFIX = "kubetest-"
NODES, CONTROL_PLANES = 3, 1


def why_not() -> str:
    """Why this host cannot run the rung; empty when it can."""
    missing = requirements.missing()
    if os.geteuid() != 0 or missing:
        return f"needs root and {missing or 'nothing more'}: raceway lab prepare"
    try:
        needs.check()
    except RacewayError as error:
        return str(error)
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip this rung, and say why, where the host cannot run it."""
    why = why_not()
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.skipif(bool(why), reason=f"this host: {why}"))


@dataclass
class Run:
    """How a playbook ended: exit code, everything it printed on one line, and the report's part of each node."""

    rc: int
    text: str
    nodes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Machines:
    """The nodes of a lab, before and after there is a cluster on them."""

    lab: KubeLab

    @property
    def names(self) -> list[str]:
        """All nodes, those for the control plane first."""
        known = self.lab.record
        assert known
        return [node.name for node in known.nodes]

    def off(self, node: str, signal: str = power.CUT) -> float:
        """Switch a node off (default: a power cut); return the seconds that took."""
        return power.off(self._podman, self._node(node), signal)

    def on(self, node: str) -> None:
        """Switch it on again, and wait until it has booted."""
        power.on(self._podman, self._node(node))
        eventually(lambda: self.ssh(node, "systemctl is-system-running").stdout.strip() == "running", f"{node} boots")

    @property
    def _podman(self) -> Podman:
        return Podman(self.lab.folder / "run")

    def _node(self, name: str) -> Node:
        known = self.lab.record
        assert known
        return next(node for node in known.nodes if node.name == name)

    def ssh(self, node: str, script: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a script on a node; the caller looks at how it ended."""
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "BatchMode=yes", node, script]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    def read(self, node: str, script: str, timeout: float = 120) -> str:
        """Run a script that must succeed; return what it printed."""
        done = self.ssh(node, f"set -e\n{script}", timeout=timeout)
        assert done.returncode == 0, f"{node}: {script}: {done.stdout}{done.stderr}"
        return done.stdout

    def playbook(
        self, book: str, *words: str, values: dict[str, Any] | None = None, check: bool = False, timeout: float = 600
    ) -> Run:
        """Run a playbook on the lab with these variables; the caller looks at how it ended."""
        report = self.lab.folder / "report.json"
        report.unlink(missing_ok=True)
        env = {**os.environ, "RACEWAY_LAB": self.lab.name, "RACEWAY_REPORT": str(report), "NO_COLOR": "1"}
        env["PATH"] = f"{BIN}:{env['PATH']}"
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/lab", book, *words]
        command += ["-e", json.dumps(values or {}), *(["--check"] if check else [])]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout)
        print(done.stdout[-6000:], done.stderr[-2000:])
        nodes = json.loads(report.read_text())["nodes"] if report.exists() else {}
        return Run(done.returncode, " ".join((done.stdout + done.stderr).split()), nodes)


@dataclass(frozen=True)
class Cluster(Machines):
    """A cluster on the nodes of a lab. ``kubectl``: the pinned program; ``kubeconfig``: the admin's."""

    kubectl_program: Path
    kubeconfig: Path

    def kubectl_run(
        self, *words: str, input: str | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl as the admin; the caller looks at how it ended."""
        command = [str(self.kubectl_program), "--kubeconfig", str(self.kubeconfig), *words]
        return subprocess.run(command, input=input or "", capture_output=True, text=True, timeout=timeout)

    def kubectl(self, *words: str, input: str | None = None, timeout: float = 120) -> str:
        """Run kubectl, which must succeed; return what it printed."""
        done = self.kubectl_run(*words, input=input, timeout=timeout)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def get(self, *words: str) -> Any:
        """Get objects as JSON."""
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def apply(self, *objects: dict[str, Any]) -> None:
        """Make these objects be there."""
        self.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def eventually(ask: Callable[[], Any], what: str, seconds: float = 120, pause: float = 0.5) -> Any:
    """Ask until the answer is true; return it. An error while asking is an answer that is not."""
    until, last = time.monotonic() + seconds, None
    while time.monotonic() < until:
        try:
            if last := ask():
                return last
        except (AssertionError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
            last = error
        time.sleep(pause)
    raise AssertionError(f"{what}: not so after {seconds:.0f} s, last: {last!r}")


# Figures that change by themselves, or by what else runs on this machine.
RESTLESS = ("random/", "pty/nr", "ns_last_pid", "inode-", "dentry-state", "file-nr", "aio-nr", "/count", "quota/")


def parameters() -> dict[str, str]:
    """Every parameter of this host that is not the network's, read past the code under test."""
    found = {}
    for top in ("kernel", "vm", "fs", "user"):
        for path in sorted(Path("/proc/sys", top).rglob("*")):
            if not path.is_dir() and not any(word in str(path) for word in RESTLESS):
                try:
                    found[str(path)] = path.read_text()
                except (OSError, UnicodeDecodeError):
                    continue
    return found


def changes(before: dict[str, str]) -> dict[str, tuple[str | None, str]]:
    """What is not as it was: parameter → before, now. What a lab that is still there keeps changed is no change."""
    now = parameters()
    note = host.NOTE / "kernel.json"
    held = {str(host.PROC / name) for name in json.loads(note.read_text())["values"]} if note.exists() else set()
    return {name: (before.get(name), now[name]) for name in now if before.get(name) != now[name] and name not in held}


def raceway(*words: str, timeout: float = 900) -> str:
    """Run a raceway command that must succeed; return what it printed."""
    done = subprocess.run([*RACEWAY, *words], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def lab_name() -> str:
    """What the names of this process's labs begin with."""
    for folder in labs_dir().glob(f"{PREFIX}*") if labs_dir().exists() else ():
        match = re.match(rf"{PREFIX}(\d+)", folder.name)
        if match and not Path("/proc", match[1]).exists():
            KubeLab(folder.name).down()
    return f"{PREFIX}{os.getpid()}"


@pytest.fixture(scope="session")
def machines(lab_name: str) -> Iterator[Machines]:
    """The nodes of this run, made once and removed at the end."""
    lab, before = KubeLab(lab_name, show=True), parameters()
    try:
        began = time.monotonic()
        lab.up(NODES, CONTROL_PLANES)
        print(f"{NODES} machines are up after {time.monotonic() - began:.0f} s")
        yield Machines(lab)
    finally:
        lab.down()
    # Real kubelets have been at work here by now.
    assert changes(before) == {}


@pytest.fixture(scope="session")
def cluster(machines: Machines) -> Cluster:
    """The cluster the role makes of them, all nodes Ready."""
    began = time.monotonic()
    done = machines.playbook("site.yml")
    assert done.rc == 0, done.text[-3000:]
    made = Cluster(machines.lab, ensure(["kubectl"])["kubectl"], machines.lab.fetch_kubeconfig())
    made.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s", timeout=150)
    print(f"the cluster is there after {time.monotonic() - began:.0f} s")
    return made


@pytest.fixture
def namespace(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of the test's own, removed with everything in it."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[5:50].strip("-")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    try:
        yield name
    finally:
        cluster.kubectl("delete", "namespace", name, "--wait=true", "--timeout=100s")

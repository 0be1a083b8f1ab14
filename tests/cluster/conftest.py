"""Fixtures over a real API server, real Volcano and fake nodes: one control plane for the files that begin alike.

It deliberately uses the same ``raceway.lab.Lab`` as people do. The lab's name holds this process's id; a lab whose test
process was killed is removed by the next session.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from raceway.cluster.webhooks import Endpoint, manifests
from raceway.lab import Lab
from raceway.lab.record import labs_dir
from raceway.model.machine import Machine
from raceway.tools import ensure, module_dir

from .platform_lab import end_shared

Kubectl = Callable[..., Any]
CRDS = ("config/crd/volcano/bases", "config/crd/jobflow/bases")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Remove the shared lab after the last test that stands on it."""
    result = yield
    if nextitem is None or nextitem.path.stem.split("_")[1] != item.path.stem.split("_")[1]:
        end_shared()
    return result


def machine(index: int, **more: Any) -> Machine:
    """A test machine: 32 CPUs, 256 GiB, 8 GPUs, 4 RDMA ports, two to a leaf."""
    leaf = f"leaf-{index // 2 + 1}"
    accelerators = {"accelerator_kind": "nvidia", "accelerator_model": "H100", "accelerator_count": 8, "rdma_ports": 4}
    place = {"rack": leaf.replace("leaf", "rack"), "leaf": leaf, "spine": "spine-1"}
    values: dict[str, Any] = {"platform": "container", "cpus": 32, "memory_gib": 256, **accelerators, **place}
    return Machine(name=f"node{index + 1}", **{**values, **more})


def remove_orphans() -> None:
    """Remove labs of test processes that are gone."""
    for folder in labs_dir().glob("test-*"):
        match = re.match(r"test-(\d+)", folder.name)
        if match and not Path("/proc", match[1]).exists():
            Lab(folder.name).down()


@pytest.fixture(scope="session")
def lab_name() -> Callable[[str], str]:
    """Names of labs that belong to this process."""
    remove_orphans()
    return lambda suffix: f"test-{os.getpid()}{suffix}"


@pytest.fixture(scope="module")
def control_plane(lab_name: Callable[[str], str]) -> Iterator[Lab]:
    """A control plane with four fake nodes, without Volcano's CRDs; removed at the end."""
    lab = Lab(lab_name(""), show=True)
    try:
        lab.up(machines=[machine(index) for index in range(4)], containers=False)
        yield lab
    finally:
        lab.down()


@pytest.fixture(scope="module")
def kubectl(control_plane: Lab) -> Kubectl:
    """``kubectl("get", "nodes")`` → parsed JSON where there is any, else text; fails the test with kubectl's words.

    ``stdin=`` may be text or manifests as dicts; ``check=False`` gives the CompletedProcess instead.
    """
    return kubectl_of(control_plane)


def kubectl_of(lab: Lab) -> Kubectl:
    """kubectl on one lab."""
    program = str(ensure(["kubectl"])["kubectl"])

    def call(*words: str, stdin: Any = None, check: bool = True, timeout: float = 60) -> Any:
        if stdin is not None and not isinstance(stdin, str):
            items = stdin if isinstance(stdin, list) else [stdin]
            stdin = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        json_out = words[0] in ("get", "create", "apply", "patch") and "-o" not in words and "--raw" not in words
        command = [program, f"--kubeconfig={lab.kubeconfig}", *words, *(["-o", "json"] if json_out else [])]
        result = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout)
        if not check:
            return result
        assert result.returncode == 0, f"kubectl {' '.join(words)}: {result.stderr.strip()}"
        return json.loads(result.stdout) if json_out and result.stdout.strip() else result.stdout

    return call


@pytest.fixture(scope="module")
def volcano(control_plane: Lab, kubectl: Kubectl) -> Lab:
    """The control plane with Volcano's CRDs and webhooks, its scheduler, controllers and admission serving."""
    install_volcano(control_plane, kubectl)
    return control_plane


def install_volcano(lab: Lab, call: Kubectl) -> None:
    """Apply CRDs and webhook configurations, then wait until Volcano serves."""
    source = module_dir("volcano.sh/volcano")
    folders = [word for folder in CRDS for word in ("-f", str(source / folder))]
    call("apply", "--server-side", *folders)
    call("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    call("apply", "--server-side", "-f", "-", stdin=manifests(Endpoint(lab.ca_pem, lab.webhook_url)))
    lab.wait_for_volcano()
    # Its controller opens the queue a moment after it serves; a job that comes earlier is refused.
    end = time.monotonic() + 30
    while call("get", "queue", "default", "-o", "jsonpath={.status.state}", check=False).stdout != "Open":
        assert time.monotonic() < end, "the default queue did not open within 30 s"
        time.sleep(0.2)

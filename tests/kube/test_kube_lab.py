"""Machines for a cluster: privileged enough for a kubelet, apart from each other, and gone without a trace.

It cannot see a cgroup v2 host or one whose nodes may raise their limits; what such a host gives is asked where it is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raceway.lab.kube import KubeLab, host, images, needs, power
from raceway.lab.record import labs_dir

from .conftest import RACEWAY, Machines, changes, parameters, raceway


def hierarchies() -> list[tuple[str, str]]:
    """Controllers of cgroup v1 and their hierarchies."""
    return [tuple(line.split()[:2]) for line in Path("/proc/cgroups").read_text().splitlines()]  # type: ignore[misc]


def traces(words: list[str]) -> list[str]:
    """Everything on this host that has one of these words in it: mounts, groups, processes, links, rules, files."""
    found = [f"mount {line}" for line in Path("/proc/mounts").read_text().splitlines()]
    found += [f"group {path}" for path in Path("/sys/fs/cgroup").rglob("*") if path.is_dir()]
    found += [f"file {path}" for path in labs_dir().iterdir()] if labs_dir().exists() else []
    found += [f"file {path}" for path in host.NOTE.glob("*")]
    commands = (
        ["ip", "-o", "address"],
        ["ip", "route", "show", "table", "all"],
        ["iptables-save"],
        ["podman", "ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.Names}}"],
        ["podman", "network", "ls", "--format", "{{.Name}}"],
        ["podman", "volume", "ls", "--format", "{{.Name}}"],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        found += [f"{command[0]} {line}" for line in done.stdout.splitlines()]
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        if path.parent.name != str(os.getpid()):
            try:
                found.append(f"process {path.read_bytes().decode(errors='replace')}")
            except OSError:
                continue
    return [item for item in found if any(word in item for word in words)]


def marks(lab: KubeLab) -> list[str]:
    """What tells this lab's things from all others: names, network, addresses, ids of containers and volumes."""
    known = lab.record
    assert known
    words = [lab.name, known.network, known.subnet.rpartition(".")[0] + "."]
    for node in known.nodes:
        done = subprocess.run(["podman", "inspect", node.container], capture_output=True, text=True, timeout=60)
        for found in json.loads(done.stdout or "[]"):
            words += [found["Id"], *[mount["Name"] for mount in found["Mounts"] if mount.get("Name")]]
    return words


def held_by_others(lab: KubeLab) -> bool:
    """Has another lab with kubelets changed the parameters already, so that there is nothing to see before it goes?"""
    holders = json.loads((host.NOTE / "kernel.json").read_text())["holders"]
    return bool(set(holders) - {str(lab.folder)})


@pytest.fixture
def own(lab_name: str) -> Iterator[KubeLab]:
    """A lab of this test's own."""
    lab = KubeLab(f"{lab_name}-own")
    try:
        yield lab
    finally:
        lab.down()


def like_a_kubelet(machines: Machines, node: str) -> None:
    """Do to the host what a kubelet does: parameters, a container of its own, a group for pods."""
    archive = machines.read(node, "ls /opt/raceway/images/node-*.tar").strip()
    machines.read(
        node,
        f"""
        echo 1 > /proc/sys/vm/overcommit_memory
        echo 10 > /proc/sys/kernel/panic
        echo 1 > /proc/sys/kernel/panic_on_oops
        ctr -n k8s.io images import {archive}
        ctr -n k8s.io run -d --cgroup /kubepods/pod1 registry.k8s.io/pause:{images.PAUSE} one
        ctr -n k8s.io task ls | grep -q RUNNING
        """,
    )


def test_a_lab_leaves_the_host_as_it_was(own: KubeLab) -> None:
    before, groups = parameters(), hierarchies()
    own.up(2, 1)
    words = marks(own)
    assert len(words) == 3 + 2 * (1 + 3)
    assert len(traces(words)) > 10
    for node in Machines(own).names:
        like_a_kubelet(Machines(own), node)
    if not held_by_others(own):
        changed = {name for name, value in parameters().items() if before.get(name) != value}
        assert {"/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/panic"} <= changed
    assert own.down()["containers"] == 2
    assert changes(before) == {}
    assert hierarchies() == groups
    assert traces(words) == []


def test_a_lab_that_was_killed_while_it_came_up_is_completed_or_removed(own: KubeLab) -> None:
    before = parameters()
    for seconds in (0.5, 1.0, 1.5):
        command = [*RACEWAY, "lab", "up", "--kubernetes", "--name", own.name, "--nodes", "2"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        child.wait()
    own.up(2, 1)
    assert [(node.ssh, node.system) for node in own.status().nodes] == [(True, "running")] * 2
    words = marks(own)
    own.down()
    assert traces(words) == []
    assert changes(before) == {}


def test_a_node_changes_no_parameter_of_the_host_but_those_that_are_put_back(machines: Machines) -> None:
    node = machines.names[0]
    refused = machines.ssh(node, "echo 4711 > /proc/sys/fs/file-max")
    assert refused.returncode != 0
    assert "Read-only" in refused.stderr
    assert machines.read(node, "echo 1 > /proc/sys/net/ipv4/ip_forward; cat /proc/sys/net/ipv4/ip_forward") == "1\n"
    # All nodes share what a kubelet sets; what it was stands in the note.
    noted = json.loads((host.NOTE / "kernel.json").read_text())
    assert str(machines.lab.folder) in noted["holders"]
    assert set(noted["values"]) <= set(host.PARAMETERS)


def test_two_nodes_have_control_groups_of_their_own(machines: Machines) -> None:
    first, second = machines.names[:2]
    tree = "/sys/fs/cgroup" if needs.Host.seen().cgroup == 2 else "/sys/fs/cgroup/pids"
    machines.read(first, f"mkdir -p {tree}/kubepods/pod-of-first")
    assert machines.ssh(second, f"ls {tree}/kubepods/pod-of-first").returncode != 0
    machines.read(first, f"rmdir {tree}/kubepods/pod-of-first {tree}/kubepods")


def test_programs_and_images_lie_beside_every_node_as_the_inventory_says(machines: Machines) -> None:
    listed = json.loads(machines.lab.inventory_path.read_text())["_meta"]["hostvars"]
    for node in machines.names:
        values = listed[node]
        sums = "\n".join(f"{digest}  {name}" for name, digest in values["kubernetes_binaries"].items())
        machines.read(node, f"cd {values['kubernetes_binaries_from']} && echo '{sums}' | sha256sum -c --quiet")
        for archive in values["kubernetes_image_archives"]:
            assert machines.read(node, f"tar tf {archive} manifest.json").strip() == "manifest.json"
        assert machines.ssh(node, "touch /opt/raceway/bin/kubelet").returncode != 0


def test_a_node_that_is_switched_off_comes_back_with_its_data(machines: Machines) -> None:
    node = machines.names[-1]
    machines.read(node, "echo kept > /var/lib/kubelet/kept")
    for signal_name in (power.ORDERLY, power.CUT):
        assert machines.off(node, signal_name) < 15
        assert "exited" in {one.state for one in machines.lab.status().nodes}
        raceway("lab", "up", "--kubernetes", "--name", machines.lab.name)
        assert machines.read(node, "cat /var/lib/kubelet/kept") == "kept\n"
    machines.read(node, "rm /var/lib/kubelet/kept")
